// Runs an image as docker-compose.yml says: process 1, read-only, no capabilities, with its volumes.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, existsSync, mkdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Image } from './build.ts'
import { mount } from './mounts.ts'

export interface ContainerOptions {
  readonly environment: Readonly<Record<string, string>>
  readonly user: string
}

export interface Container {
  /** Resolves with the exit code. */
  readonly ended: Promise<number | null>
  /** The exit code of the image's own health check. */
  health(): number | null
  /** Runs another program in it, and returns its exit code. */
  execute(command: readonly string[]): number | null
  /** Of process 1, in megabytes. */
  memory(): number
  /** SIGTERM to process 1, if it still runs. */
  stop(): Promise<number | null>
}

/**
 * Mounts volumes, written as `volume:/folder:ro`, and makes the rest of the tree read-only. A new volume takes over owner
 * and mode of the folder that it covers, as with an engine.
 */
export function mountVolumes(image: Image, volumes: readonly string[], workspace: string): void {
  for (const volume of volumes) {
    const [name = '', folder = '', mode] = volume.split(':')
    const [held, covered] = [join(workspace, 'volumes', name), join(image.root, folder)]
    mkdirSync(covered, { recursive: true })
    if (!existsSync(held)) {
      const { uid, gid, mode: permissions } = statSync(covered)
      mkdirSync(held, { recursive: true, mode: permissions })
      chownSync(held, uid, gid)
    }
    mount('--bind', held, covered)
    if (mode === 'ro') mount('-o', 'remount,bind,ro', covered)
  }
  mount('-o', 'remount,ro', image.root)
}

export function startContainer(image: Image, options: ContainerOptions): Container {
  const env = { ...image.environment, ...options.environment }
  const inside = (command: readonly string[]) => [
    image.root,
    ...withoutRights(options.user),
    ...inFolder(image.folder, command),
  ]
  // The signals of this namespace's process 1 are those that a container engine's process 1 gets.
  const namespace = ['--pid', '--fork', '--kill-child', `--mount-proc=${image.root}/proc`]
  const child = spawn('unshare', [...namespace, 'chroot', ...inside(image.command)], {
    env,
    stdio: ['ignore', process.stderr, process.stderr],
  })
  const ended = once(child, 'exit').then(([code]) => code as number | null)
  const first = () => Number(readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8'))
  const execute = (command: readonly string[]) =>
    spawnSync('chroot', inside(command), { env, stdio: ['ignore', 'ignore', 'ignore'] }).status
  return {
    ended,
    execute,
    health: () => execute(image.healthcheck ?? ['true']),
    memory: () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${first()}/status`, 'utf8'))?.[1]) / 1024,
    stop() {
      if (child.exitCode === null && child.signalCode === null) process.kill(first(), 'SIGTERM')
      return ended
    },
  }
}

function withoutRights(user: string): string[] {
  const [uid = '', gid = ''] = user.split(':')
  const rights = ['--bounding-set=-all', '--inh-caps=-all', '--no-new-privs']
  return ['setpriv', '--reuid', uid, '--regid', gid, '--clear-groups', ...rights]
}

function inFolder(folder: string, command: readonly string[]): string[] {
  return ['sh', '-c', 'cd "$0" && exec "$@"', folder, ...command]
}
