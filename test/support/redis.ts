// A real Redis on a free port, which can be killed, stopped in its tracks, and brought back.
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createConnection } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from './desk.ts'

export interface RunningRedis {
  readonly url: string
  start(): Promise<void>
  kill(): Promise<void>
  /** Keeps its connections and answers nothing, until `resume`. */
  freeze(): void
  resume(): void
}

export async function startRedis(): Promise<RunningRedis> {
  const port = await freePort()
  let child: ChildProcess
  const start = async () => {
    child = spawn(
      'redis-server',
      ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--daemonize', 'no'],
      {
        stdio: 'ignore',
      },
    )
    const failed = once(child, 'error').then(() => {
      throw new Error('redis-server cannot be started. Install it: apt-get install redis-server.')
    })
    failed.catch(() => undefined)
    while (!(await Promise.race([accepts(port), failed]))) await sleep(20)
  }
  await start()
  return {
    url: `redis://127.0.0.1:${port}`,
    start,
    async kill() {
      if (child.exitCode !== null || child.signalCode !== null) return
      child.kill('SIGKILL')
      await once(child, 'exit')
    },
    freeze: () => void child.kill('SIGSTOP'),
    resume: () => void child.kill('SIGCONT'),
  }
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection(port, '127.0.0.1')
    const answer = (is: boolean) => () => {
      socket.destroy()
      resolve(is)
    }
    socket.once('connect', answer(true)).once('error', answer(false))
  })
}
