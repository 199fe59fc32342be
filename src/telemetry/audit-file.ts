// An append-only stream of lines: a file that may be rotated under it, or stderr. A line that cannot be written is kept.
import { closeSync, constants, fstatSync, openSync, statSync, writeSync } from 'node:fs'

const STDERR = 2
const { O_APPEND, O_CREAT, O_NONBLOCK, O_WRONLY } = constants
/** A pipe that nobody reads is a fault, and must not stop everything. */
const FLAGS = O_APPEND | O_CREAT | O_NONBLOCK | O_WRONLY
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
 * line: for up to a second after a renaming lines go to the old file, which must not be deleted sooner.
 */
export function openLineFile({ path, now, onFault }: LineFileOptions): LineFile {
  const open = () => (path === 'stderr' ? STDERR : openSync(path, FLAGS, 0o600))
  let fd: number | undefined = open()
  let lookAt = now() + LOOK_MS
  const kept: Buffer[] = []
  /** Bytes of the first of them that are in the file already. */
  let begun = 0

  const reopenIfRotated = () => {
    if (path === 'stderr' || now() < lookAt) return
    lookAt = now() + LOOK_MS
    if (fd !== undefined && isAt(path, fd)) return
    if (fd !== undefined) closeSync(fd)
    fd = undefined
    // The new file gets the whole line.
    begun = 0
  }

  const flush = () => {
    try {
      reopenIfRotated()
      fd ??= open()
      for (let line = kept[0]; line; line = kept[0]) {
        // A disk that is full takes a part; the rest is written when there is room, so that no line is cut.
        begun += writeSync(fd, line, begun)
        if (begun < line.length) continue
        kept.shift()
        begun = 0
      }
      return true
    } catch (error) {
      const lost = kept.splice(begun > 0 ? 1 : 0, kept.length - MAX_KEPT_LINES).length
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
