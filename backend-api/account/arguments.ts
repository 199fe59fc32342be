// The command line of `npm run account`.

import { parseArgs } from 'node:util'
import type { Role } from '../../openapi/desk.gen.ts'

export const PASSWORD_CHARACTERS_MIN = 12
export const PASSWORD_CHARACTERS_MAX = 1_000

const USAGE = `Usage: npm run account -- PERSON [--password-file FILE] [--name NAME] [--role ROLE]
  PERSON           who signs in, e.g. carol
  --password-file  holds the password, ${PASSWORD_CHARACTERS_MIN} to ${PASSWORD_CHARACTERS_MAX} characters; left out, it is read from stdin
  --name, --role   make a person, or change one; the role is customer, staff or admin
The desk is the one at DATABASE_PATH.`

export interface AccountArguments {
  readonly id: string
  readonly passwordFile: string | undefined
  readonly name: string | undefined
  readonly role: Role | undefined
}

/** Throws with the usage. */
export function parseAccountArguments(args: string[]): AccountArguments {
  const text = { type: 'string' } as const
  const options = { 'password-file': text, name: text, role: text }
  try {
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true })
    const [id, ...rest] = positionals
    if (id === undefined || rest.length > 0) throw new Error('Name one person.')
    if (!/^[!-~]{1,128}$/.test(id))
      throw new Error('PERSON must be 1 to 128 visible ASCII characters without spaces.')
    return { id, passwordFile: values['password-file'], name: values.name, role: roleOf(values.role) }
  } catch (error) {
    throw new Error(`${(error as Error).message}\n${USAGE}`, { cause: error })
  }
}

function roleOf(text: string | undefined): Role | undefined {
  if (text === undefined || text === 'customer' || text === 'staff' || text === 'admin') return text
  throw new Error(`There is no role "${text}".`)
}
