// What gateways and services log while the tests run, kept to be looked at when all have ended: no secret, no ticket text.
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { STORIES } from '../../backend-api/seed/seed.ts'
import { TICKET } from './scripted-backend.ts'

const FOLDER = 'DESK_KEPT_LOGS'
/** Secrets of the tests, all of which say what they are. */
const SECRETS = [/correct horse battery staple/, /a gateway secret of more/, /a secret for tests of/]
const TOKENS = [/eyJ[\w-]{8,}\.eyJ[\w-]{8,}/, /Bearer (?!resource_metadata)[\w.~+/-]{16,}/]
const TEXTS = [TICKET, ...STORIES]
  .flatMap(({ subject, body }) => [subject, body.slice(0, 40)])
  .filter((text) => text.length >= 12)

/** Keeps a piece of a log; to be called with all that a process or a logger writes. */
export function keepLog(text: string): void {
  const folder = process.env[FOLDER]
  if (folder !== undefined) appendFileSync(join(folder, `${process.pid}.log`), text)
}

/** Lines that have in them what no log may have. */
export function indiscretions(log: string): string[] {
  const isIndiscreet = (line: string) =>
    [...SECRETS, ...TOKENS].some((pattern) => pattern.test(line)) || TEXTS.some((text) => line.includes(text))
  return log.split('\n').filter(isIndiscreet)
}

/** vitest calls it before the first test file and after the last. */
export default function setup(): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'kept-logs-'))
  process.env[FOLDER] = folder
  return () => {
    const log = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'))
    rmSync(folder, { recursive: true })
    const found = log.flatMap(indiscretions)
    process.stderr.write(`Logs of the run: ${log.join('').split('\n').length} lines looked through.\n`)
    if (found.length > 0)
      throw new Error(`A log holds a secret or the text of a ticket:\n${found.slice(0, 5).join('\n')}`)
  }
}
