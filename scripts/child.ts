// One process of the local desk: started with an environment, watched, and stopped.

import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const PROJECT_FOLDER = fileURLToPath(new URL('..', import.meta.url))
// The processes drain for ten seconds at the most.
const STOP_GRACE_MS = 12_000

export interface Child {
  /** Resolves when the process has ended, with a sentence that says how. */
  readonly ended: Promise<string>
  /** Asks the process to end and makes it do so after 12 seconds; resolves when it has. */
  readonly stop: () => Promise<void>
}

/** Runs a TypeScript file of the project. Its stderr is ours; its stdout, which should be empty, goes there too. */
export function startChild(name: string, file: string, variables: Readonly<Record<string, string>>): Child {
  const child = spawn(process.execPath, ['--import', 'tsx', file], {
    cwd: PROJECT_FOLDER,
    env: { ...process.env, ...variables },
    stdio: ['ignore', process.stderr, process.stderr],
    // In a group of its own: Ctrl-C reaches the whole group, and a second signal would end the process without a drain.
    detached: true,
  })
  const ended = new Promise<string>((resolve) => {
    child.once('error', (error) => {
      resolve(`${name} could not be started: ${error.message}`)
    })
    child.once('exit', (code, signal) => {
      resolve(
        `${name} has ended (${code === null ? `signal ${String(signal)}` : `exit code ${code}`}); see above for why.`,
      )
    })
  })

  return {
    ended,
    async stop() {
      child.kill('SIGTERM')
      const force = setTimeout(() => child.kill('SIGKILL'), STOP_GRACE_MS)
      await ended
      clearTimeout(force)
    },
  }
}
