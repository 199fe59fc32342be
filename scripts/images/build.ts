// Carries out the steps of a Dockerfile without an engine. The base image is this machine with another Node in it.
import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { copyOf, pairsOf, type Stage, type Step } from './dockerfile.ts'
import { mountTree } from './mounts.ts'

/** Where official images have it, ahead of any Node of this machine. */
const NODE = '/usr/local'
const PATH = `${NODE}/sbin:${NODE}/bin:/usr/sbin:/usr/bin:/sbin:/bin`
/** How this machine reaches the package registry. */
const PASSED_ON = /^(https?_proxy|no_proxy|npm_config_registry|node_extra_ca_certs|ssl_cert_file)$/i

export interface Image {
  /** Where its tree is mounted. */
  readonly root: string
  /** The topmost first. */
  readonly layers: readonly string[]
  readonly environment: Readonly<Record<string, string>>
  readonly folder: string
  /** As in `uid:gid`. */
  readonly user: string
  readonly command: readonly string[]
  readonly healthcheck: readonly string[] | undefined
}

export interface Builder {
  /** Of a stage, built when it is first asked for. Throws when a step fails. */
  imageOf(name: string): Image
}

export function createBuilder(
  stages: readonly Stage[],
  places: { context: string; workspace: string; node: string },
): Builder {
  const images = new Map<string, Image>()
  const imageOf = (name: string): Image => {
    const known = images.get(name)
    if (known) return known
    const stage = stages.find((candidate) => candidate.name === name)
    const image = stage ? buildStage(stage) : baseImage()
    images.set(name, image)
    return image
  }

  const originOf = (from: string | undefined) => (from === undefined ? places.context : imageOf(from).root)

  function baseImage(): Image {
    const { root, layer } = mountTree(join(places.workspace, `base-${images.size}`), [])
    for (const part of ['bin/node', 'include'])
      cpSync(join(places.node, part), join(root, NODE, part), { recursive: true })
    // The names that Compose gives to its services.
    writeFileSync(join(root, 'etc/hosts'), '127.0.0.1 localhost backend-api redis\n')
    const plain = { environment: { PATH }, folder: '/', user: '0:0', command: [], healthcheck: undefined }
    return { root, layers: [layer], ...plain }
  }

  function buildStage(stage: Stage): Image {
    const parent = imageOf(stage.from)
    const { root, layer } = mountTree(join(places.workspace, stage.name), parent.layers)
    const start: Image = { ...parent, root, layers: [layer, ...parent.layers] }
    return stage.steps.reduce((image, step) => ({ ...image, ...carryOut(step, image) }), start)
  }

  function carryOut(step: Step, image: Image): Partial<Image> {
    switch (step.instruction) {
      case 'WORKDIR':
        mkdirSync(join(image.root, step.text), { recursive: true })
        return { folder: step.text }
      case 'ENV':
        return { environment: { ...image.environment, ...pairsOf(step) } }
      case 'USER':
        return { user: step.text }
      case 'COPY':
        copy(step, image, originOf)
        return {}
      case 'RUN':
        run(step, image)
        return {}
      case 'CMD':
        return { command: JSON.parse(step.text) as string[] }
      case 'HEALTHCHECK':
        return { healthcheck: step.text === 'NONE' ? undefined : commandOf(step) }
      case 'LABEL':
      case 'EXPOSE':
        return {}
      default:
        throw new Error(`The instruction ${step.instruction} is not known here.`)
    }
  }

  return { imageOf }
}

function copy(step: Step, { root, folder }: Image, originOf: (from: string | undefined) => string): void {
  const { from, sources, target } = copyOf(step)
  for (const source of sources) {
    const name = target.endsWith('/') ? join(target, basename(source)) : target
    cpSync(join(originOf(from), source), join(root, folder, name), {
      recursive: true,
      verbatimSymlinks: true,
    })
  }
}

function run({ text }: Step, { root, folder, environment, user }: Image): void {
  const [uid = '', gid = ''] = user.split(':')
  const passedOn = Object.entries(process.env).filter(([name]) => PASSED_ON.test(name))
  const command = ['sh', '-c', `cd "$0" && ${text}`, folder]
  const { status } = spawnSync(
    'chroot',
    [root, 'setpriv', '--reuid', uid, '--regid', gid, '--clear-groups', ...command],
    {
      env: { ...Object.fromEntries(passedOn), HOME: '/root', npm_config_nodedir: NODE, ...environment },
      stdio: ['ignore', process.stderr, process.stderr],
    },
  )
  if (status !== 0) throw new Error(`A step failed (${String(status)}): ${text}`)
}

function commandOf({ text }: Step): string[] {
  return JSON.parse(text.slice(text.indexOf('['))) as string[]
}

/** Megabytes of the program's folder. */
export function megabytesOf({ root, folder }: Image): number {
  return Number.parseInt(execFileSync('du', ['-sm', join(root, folder)], { encoding: 'utf8' }))
}
