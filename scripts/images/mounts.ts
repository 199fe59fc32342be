// File system trees in layers, as a container engine makes them: overlayfs on the root of this machine.
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A folder in memory. */
export function makeWorkspace(): string {
  const workspace = mkdtempSync(join(tmpdir(), 'images-'))
  mount('-t', 'tmpfs', 'images', workspace)
  return workspace
}

/** With all that is mounted below it. */
export function removeWorkspace(workspace: string): void {
  execFileSync('umount', ['--recursive', '--lazy', workspace])
  rmdirSync(workspace)
}

/** Mounts `layers`, the topmost first and this machine's root below them, at `folder`/root, with a new layer on top. */
export function mountTree(folder: string, layers: readonly string[]): { root: string; layer: string } {
  const [root, layer, work] = [join(folder, 'root'), join(folder, 'layer'), join(folder, 'work')]
  for (const path of [root, layer, work]) mkdirSync(path, { recursive: true })
  const options = `lowerdir=${[...layers, '/'].join(':')},upperdir=${layer},workdir=${work}`
  mount('-t', 'overlay', 'overlay', '-o', options, root)
  mount('--rbind', '/dev', join(root, 'dev'))
  mount('-t', 'proc', 'proc', join(root, 'proc'))
  return { root, layer }
}

export function mount(...options: string[]): void {
  execFileSync('mount', options, { stdio: ['ignore', 'inherit', 'inherit'] })
}
