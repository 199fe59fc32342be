// `npm run seed`: fills an empty desk. Messages go to stderr.

import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { openSqliteStore } from '../store/sqlite/store.ts'
import { parseSeedArguments, type SeedArguments } from './arguments.ts'
import { seedDesk } from './seed.ts'

try {
  await run(parseSeedArguments(process.argv.slice(2)))
} catch (error) {
  say(error instanceof Error ? error.message : String(error))
  process.exitCode = 1
}

async function run({ database, tickets, seed }: SeedArguments): Promise<void> {
  await mkdir(dirname(database), { recursive: true, mode: 0o700 })
  const store = await openSqliteStore(database)
  try {
    const progress = (count: number): void => {
      say(`${count} of ${tickets} tickets`)
    }
    const outcome = await seedDesk(store, { tickets, seed, progress })
    if (outcome.kind === 'not_empty') {
      throw new Error(
        `${database} already holds ${outcome.tickets} tickets; delete the file or name another one.`,
      )
    }
    say(`${database} now holds ${outcome.tickets} tickets.`)
  } finally {
    await store.close()
  }
}

function say(line: string): void {
  process.stderr.write(`${line}\n`)
}
