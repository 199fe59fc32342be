// The ticket service as a process of its own, for what only a process shows: signals, crashes, ports.
import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { programOf } from './compiled.ts'
import { keepLog } from './kept-logs.ts'
import { AUDIENCE } from './service.ts'

export interface ServiceProcess {
  readonly child: ChildProcess
  /** Ends with /v1. */
  readonly url: string
  /** What it wrote to stderr so far. */
  log(): string
}

/** Resolves when the service listens. */
export async function spawnService(environment: Record<string, string>): Promise<ServiceProcess> {
  const started = spawnMain(environment)
  const exited = once(started.child, 'exit').then(() => {
    throw new Error(`The service ended:\n${started.log()}`)
  })
  const listening = async () => {
    for (;;) {
      const url = /"url":"([^"]+)"/.exec(started.log())?.[1]
      if (url !== undefined) return url
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }
  const url = await Promise.race([listening(), exited])
  exited.catch(() => undefined)
  return { ...started, url }
}

/** Only starts it. */
export function spawnMain(environment: Record<string, string>): Omit<ServiceProcess, 'url'> {
  const child = spawn(process.execPath, programOf('backend-api/main.ts'), {
    env: {
      PATH: process.env['PATH'],
      PORT: '0',
      CURSOR_SECRET: 'a secret for tests of 32 characters',
      AUDIENCE,
      LOG_LEVEL: 'debug',
      ...environment,
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let text = ''
  child.stderr.on('data', (chunk: Buffer) => {
    text += chunk.toString()
    keepLog(chunk.toString())
  })
  return { child, log: () => text }
}

/** The code, or the signal that ended it. */
export async function exitOf(child: ChildProcess): Promise<number | NodeJS.Signals | null> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  return child.exitCode ?? child.signalCode
}
