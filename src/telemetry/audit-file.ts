// An append-only stream of lines: a file that may be rotated under it, or stderr. A line that cannot be written is kept.
import { closeSync, fstatSync, openSync, statSync, writeSync } from 'node:fs'

const STDERR = 2
/** About half a megabyte; past it a disk that stays full would fill the memory too. */
const MAX_KEPT_LINES = 1_000
/** How often a file is looked at by name, which may be that of another one after a rotation. */
const LOOK_MS = 1_000

export interface LineFile {
  /** Writes a line, or keeps it and says false. */
  readonly append: (line: string) => boolean
  /** Writes what was kept; true when nothing is left. */
  readonly flush: () => boolean
}

export interface LineFileOptions {
  /** A path, or `stderr`. */
  readonly path: string
  /** Milliseconds of a clock that never goes back. */
  readonly now: () => number
  /** Told of each failure, and with how many lines lost for good. */
  readonly onFault: (code: string, lost: number) => void
}

/**
 * Opens the file for appending (mode 0600). Throws when it cannot. A rotation by renaming or by truncating loses no
 * line: every line is written at the end of the file that has the name at that time.
 */
export function openLineFile({ path, now, onFault }: LineFileOptions): LineFile {
  const open = () => (path === 'stderr' ? STDERR : openSync(path, 'a', 0o600))
  let fd: number | undefined = open()
  let lookAt = now() + LOOK_MS
  const kept: Buffer[] = []

  const reopenIfRotated = () => {
    if (path === 'stderr' || now() < lookAt) return
    lookAt = now() + LOOK_MS
    if (fd !== undefined && isAt(path, fd)) return
    if (fd !== undefined) closeSync(fd)
    fd = undefined
  }

  const flush = () => {
    try {
      reopenIfRotated()
      fd ??= open()
      for (let line = kept[0]; line; line = kept[0]) {
        const written = writeSync(fd, line)
        // A disk that is full takes a part; the rest is written when there is room, so that no line is cut.
        if (written < line.length) kept[0] = line.subarray(written)
        else kept.shift()
      }
      return true
    } catch (error) {
      const lost = kept.splice(0, kept.length - MAX_KEPT_LINES).length
      onFault(codeOf(error), lost)
      return false
    }
  }

  return {
    append: (line) => {
      kept.push(Buffer.from(`${line}\n`))
      return flush()
    },
    flush: () => kept.length === 0 || flush(),
  }
}

function isAt(path: string, fd: number): boolean {
  const there = statSync(path, { throwIfNoEntry: false })
  const open = fstatSync(fd)
  return there?.ino === open.ino && there.dev === open.dev
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
}
