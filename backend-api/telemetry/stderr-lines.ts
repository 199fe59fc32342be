// Lines on stderr, written at once. What cannot be written is lost: neither a call nor the service ends over a full disk or
// a reader that is gone. Of a full disk, pino's own destination throws, and never returns from a fatal line.
import { writeSync } from 'node:fs'

const STDERR = 2
const NEWLINE = 0x0a
const NOTHING = Buffer.alloc(0)
/** A reader of a pipe that is behind gets a tenth of a second to make room, once until it has caught up. */
const TRIES = 20
const PAUSE_MS = 5

/** A destination for pino. `write` returns how many bytes it took, or throws. */
export function stderrLines(write = (bytes: Buffer) => writeSync(STDERR, bytes)): {
  readonly write: (line: string) => void
} {
  let cut = NOTHING
  let tries = TRIES
  return {
    write(line) {
      const bytes = Buffer.concat([cut, Buffer.from(line)])
      const written = writeAll(bytes, write, tries)
      // A reader that has stopped must not hold up every line, and with it every call.
      tries = written === bytes.length ? TRIES : 1
      if (written === 0) return
      // A line that was begun is ended first, or the next one would be part of it.
      const end = bytes[written - 1] === NEWLINE ? written : bytes.indexOf(NEWLINE, written) + 1
      cut = bytes.subarray(written, end)
    },
  }
}

/** How many bytes were written before it went no further. */
function writeAll(bytes: Buffer, write: (bytes: Buffer) => number, tries: number): number {
  let written = 0
  while (written < bytes.length)
    try {
      written += write(bytes.subarray(written))
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN' || --tries <= 0) break
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS)
    }
  return written
}
