// The command line of `npm run seed`.

import { parseArgs } from 'node:util'
import { STORIES } from './seed.ts'

const TICKETS_MAX = 10_000_000
const SEED_MAX = 4_294_967_295

const USAGE = 'Usage: npm run seed -- [--tickets N] [--database PATH] [--seed S]'

export interface SeedArguments {
  readonly tickets: number
  readonly database: string
  readonly seed: number
}

/** Throws an Error that says which argument is wrong and what is expected. */
export function parseSeedArguments(args: readonly string[]): SeedArguments {
  const { values } = parse(args)
  return {
    tickets: wholeNumber('--tickets', values.tickets, 1, TICKETS_MAX),
    database: values.database,
    seed: wholeNumber('--seed', values.seed, 0, SEED_MAX),
  }
}

function parse(args: readonly string[]) {
  const options = {
    tickets: { type: 'string', default: String(STORIES.length) },
    database: { type: 'string', default: '.local/desk.sqlite' },
    seed: { type: 'string', default: '1' },
  } as const
  try {
    return parseArgs({ args: [...args], options })
  } catch (error) {
    throw new Error(`${(error as Error).message}\n${USAGE}`, { cause: error })
  }
}

function wholeNumber(name: string, text: string, min: number, max: number): number {
  const value = /^\d{1,10}$/.test(text) ? Number(text) : NaN
  if (!(value >= min && value <= max)) {
    throw new Error(`${name} is "${text}"; it must be a whole number from ${min} to ${max}.\n${USAGE}`)
  }
  return value
}
