// A log that cannot be written costs lines, and neither a call nor the process.
import { spawn } from 'node:child_process'
import { openSync } from 'node:fs'
import { describe, expect, it, onTestFinished } from 'vitest'
import { stderrLines as ofService } from '../../backend-api/telemetry/stderr-lines.ts'
import { stderrLines as ofGateway } from '../../src/telemetry/stderr-lines.ts'
import { programOf } from '../support/compiled.ts'
import { freePort } from '../support/desk.ts'

/** A disk that takes so many bytes. */
function diskOf(room: number) {
  const disk = { room, text: '' }
  return {
    disk,
    write: (bytes: Buffer) => {
      if (disk.room === 0) throw Object.assign(new Error(), { code: 'ENOSPC' })
      const taken = bytes.subarray(0, disk.room)
      disk.room -= taken.length
      disk.text += taken.toString()
      return taken.length
    },
  }
}

describe.each([
  ['gateway', ofGateway],
  ['service', ofService],
])('lines on stderr of the %s', (_name, stderrLines) => {
  it('are lost while the disk is full, and none is cut', () => {
    const { disk, write } = diskOf(6)
    const log = stderrLines(write)
    log.write('one\n')
    log.write('two\n')
    log.write('three\n')
    expect(disk.text).toBe('one\ntw')
    disk.room = 1
    log.write('four\n')
    disk.room = 100
    log.write('five\n')
    expect(disk.text).toBe('one\ntwo\nfive\n')
  })

  it('wait for a reader that is behind, and not for ever', () => {
    let full = 3
    let text = ''
    let tried = 0
    const log = stderrLines((bytes) => {
      tried++
      if (full-- > 0) throw Object.assign(new Error(), { code: 'EAGAIN' })
      text += bytes.toString()
      return bytes.length
    })
    log.write('one\n')
    expect(text).toBe('one\n')
    full = Infinity
    log.write('two\n')
    expect(text).toBe('one\n')
    tried = 0
    log.write('three\n')
    expect(tried).toBe(1)
    full = 0
    log.write('four\n')
    expect(text).toBe('one\nfour\n')
  })
})

it('a gateway whose log is on a full disk goes on answering', async () => {
  const port = await freePort()
  const env = { PORT: String(port), ISSUER: 'http://127.0.0.1:9/identity', CLIENT_SECRET: 'x'.repeat(32) }
  const child = spawn(process.execPath, programOf('src/main.ts'), {
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'ignore', openSync('/dev/full', 'w')],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const statusOf = (path: string) =>
    fetch(`http://127.0.0.1:${port}${path}`).then(
      ({ status }) => status,
      () => undefined,
    )
  await expect.poll(() => statusOf('/healthz'), { timeout: 10_000 }).toBe(200)
  expect(await statusOf('/refused')).toBe(403)
  expect(await statusOf('/healthz')).toBe(200)
})
