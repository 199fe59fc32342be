// `npm run token -- PERSON`: prints an access token of the local desk to stdout, and nothing else.

import { parseArgs } from 'node:util'
import { PEOPLE } from '../backend-api/seed/people.ts'
import { LOCAL_FOLDER, localEnvironment } from './local-environment.ts'
import { signIn } from './sign-in.ts'

const USAGE = `Usage: npm run token -- PERSON [--scope "tickets:read"] [--service]
  PERSON     one of: ${PEOPLE.map(({ id }) => id).join(', ')}
  --scope    ask for these scopes only
  --service  a token for the ticket service's REST interface in place of the gateway`

try {
  process.stdout.write(`${await token(process.argv.slice(2))}\n`)
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
}

async function token(args: string[]): Promise<string> {
  const { person, scope, service } = parse(args)
  const { issuer, mcpUrl, serviceUrl, password, portVariables } = await localEnvironment(
    LOCAL_FOLDER,
    process.env,
  )
  if (!(await answers(issuer))) {
    throw new Error(
      `The ticket service does not answer at ${issuer}; start it with: ${portVariables}npm start`,
    )
  }
  const resource = service ? serviceUrl : mcpUrl
  const { accessToken } = await signIn({
    issuer,
    resource,
    person,
    password,
    ...(scope !== undefined && { scope }),
  })
  return accessToken
}

function parse(args: string[]): { person: string; scope: string | undefined; service: boolean } {
  const options = { scope: { type: 'string' }, service: { type: 'boolean', default: false } } as const
  try {
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true })
    const [person, ...rest] = positionals
    if (person === undefined || rest.length > 0) throw new Error('Name one person.')
    if (!PEOPLE.some(({ id }) => id === person)) throw new Error(`There is no person "${person}".`)
    return { person, scope: values.scope, service: values.service }
  } catch (error) {
    throw new Error(`${(error as Error).message}\n${USAGE}`, { cause: error })
  }
}

async function answers(issuer: string): Promise<boolean> {
  try {
    const response = await fetch(`${issuer}/jwks`)
    return response.ok
  } catch {
    return false
  }
}
