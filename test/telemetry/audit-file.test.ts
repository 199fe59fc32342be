// The audit file as operators treat it: rotated under the gateway, truncated, on a disk that fills up and is emptied.
import { execFileSync } from 'node:child_process'
import {
  closeSync,
  constants,
  mkdtempSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openLineFile, type LineFile } from '../../src/telemetry/audit-file.ts'

let folder: string
let path: string
let clock: number
let faults: { code: string; lost: number }[]
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'audit-'))
  path = join(folder, 'audit.jsonl')
  clock = 0
  faults = []
})
afterEach(() => {
  rmSync(folder, { recursive: true })
})

const open = () =>
  openLineFile({ path, now: () => clock, onFault: (code, lost) => void faults.push({ code, lost }) })
const linesOf = (file: string) => readFileSync(file, 'utf8').split('\n').filter(Boolean)

describe('An audit file', () => {
  it('is for its owner only, and what is in it stays', () => {
    open().append('first')
    open().append('second')
    expect(linesOf(path)).toEqual(['first', 'second'])
    expect(statSync(path).mode & 0o777).toBe(0o600)
  })

  it('that was renamed away is followed by a new one', () => {
    const file = open()
    file.append('before')
    renameSync(path, `${path}.1`)
    clock += 1_000
    expect(file.append('after')).toBe(true)
    expect(linesOf(`${path}.1`)).toEqual(['before'])
    expect(linesOf(path)).toEqual(['after'])
  })

  it('that was copied and truncated goes on from its start', () => {
    const file = open()
    file.append('before')
    truncateSync(path)
    file.append('after')
    expect(linesOf(path)).toEqual(['after'])
  })

  it('on a full disk is told of, and its lines are kept in their order until there is room', () => {
    symlinkSync('/dev/full', path)
    const file = open()
    expect([file.append('one'), file.append('two'), file.flush()]).toEqual([false, false, false])
    expect(faults).toEqual(Array(3).fill({ code: 'ENOSPC', lost: 0 }))
    rmSync(path)
    clock += 1_000
    expect(file.append('three')).toBe(true)
    expect(linesOf(path)).toEqual(['one', 'two', 'three'])
  })

  it('keeps a thousand lines at most, and says how many it lost', () => {
    symlinkSync('/dev/full', path)
    const file = open()
    for (let line = 1; line <= 1_002; line++) file.append(String(line))
    expect(faults.filter(({ lost }) => lost > 0)).toHaveLength(2)
    rmSync(path)
    clock += 1_000
    file.flush()
    expect(linesOf(path)).toHaveLength(1_000)
    expect(linesOf(path)[0]).toBe('3')
  })

  describe('that is a pipe', () => {
    const LONG = 'x'.repeat(100_000)
    let reader: number
    beforeEach(() => {
      execFileSync('mkfifo', [path])
      reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
    })
    const readOn = (file: LineFile) => {
      let text = ''
      const buffer = Buffer.alloc(65_536)
      for (let done = false; !done;) {
        text += buffer.toString('utf8', 0, readSync(reader, buffer))
        done = file.flush()
      }
      return (text + buffer.toString('utf8', 0, readSync(reader, buffer))).split('\n').filter(Boolean)
    }

    it('and that nobody reads is a fault, and nothing waits for it', () => {
      closeSync(reader)
      expect(open).toThrow('ENXIO')
    })

    it('and full gets the rest of a line that it took a part of, whatever is lost meanwhile', () => {
      const file = open()
      expect(file.append(LONG)).toBe(false)
      for (let line = 1; line <= 1_001; line++) file.append(String(line))
      const lines = readOn(file)
      expect(lines[0]).toBe(LONG)
      expect(lines.slice(1)).toEqual(Array.from({ length: 999 }, (_, index) => String(index + 3)))
      closeSync(reader)
    })

    it('and is replaced leaves the whole line to the new file', () => {
      const file = open()
      expect(file.append(LONG)).toBe(false)
      rmSync(path)
      clock += 1_000
      expect(file.append('next')).toBe(true)
      expect(linesOf(path)).toEqual([LONG, 'next'])
      closeSync(reader)
    })
  })

  it('that cannot be opened is a fault at once', () => {
    path = join(folder, 'missing', 'audit.jsonl')
    expect(open).toThrow('ENOENT')
  })
})
