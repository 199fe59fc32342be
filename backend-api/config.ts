// The environment as a frozen Config. Lists every fault at once, by the variable's name and with the fix.
import { readFileSync } from 'node:fs'
import { z } from 'zod'

const SECRETS = ['CURSOR_SECRET', 'IDENTITY_KEYS', 'IDENTITY_GATEWAY_SECRET']
const IDENTITY = ['IDENTITY_KEYS', 'IDENTITY_GATEWAY_SECRET', 'IDENTITY_GATEWAY_AUDIENCE'] as const
const LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const

const url = (what: string) => z.url({ protocol: /^https?$/, error: `must be ${what}, an http or https URL` })
const secret = (characters: number) =>
  z
    .string({ error: `must be set, to at least ${characters} random characters` })
    .min(characters, `must have at least ${characters} characters`)
const NOT_A_PORT = 'must be a port, 0 to 65535'
const port = z.coerce.number({ error: NOT_A_PORT }).int(NOT_A_PORT).min(0, NOT_A_PORT).max(65_535, NOT_A_PORT)
const list = (text: string) =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')
const origin = z.string().refine((text) => URL.canParse(text) && new URL(text).origin === text, {
  error: 'must be origins without a path, e.g. http://localhost:5173',
})
/** A JSON Web Key Set (RFC 7517) of ES256 keys, all of them the half that is said. */
const keySet = (half: 'private' | 'public') => {
  const error = `must be a JSON Web Key Set of ${half} ES256 keys`
  const key = z
    .looseObject({ kty: z.literal('EC'), crv: z.literal('P-256') })
    .refine((jwk) => 'd' in jwk === (half === 'private'))
  return z
    .string()
    .transform((text, context): unknown => {
      try {
        return JSON.parse(text)
      } catch {
        context.addIssue({ code: 'custom', message: error })
        return z.NEVER
      }
    })
    .pipe(z.object({ keys: z.array(key).min(1) }, { error }))
}

const Environment = z.object({
  HOST: z.string().default('127.0.0.1'),
  PORT: port.default(8081),
  ADMIN_HOST: z.string().default('127.0.0.1'),
  ADMIN_PORT: port.optional(),
  DATABASE_PATH: z.string().default('.local/desk.sqlite'),
  LOG_LEVEL: z.enum(LEVELS, { error: `must be one of ${LEVELS.join(', ')}` }).default('info'),
  NODE_ENV: z.string().default('development'),
  VALIDATE_RESPONSES: z.enum(['true', 'false'], { error: 'must be true or false' }).optional(),
  ALLOWED_ORIGINS: z.string().default('').transform(list).pipe(z.array(origin)),
  CURSOR_SECRET: secret(32),
  ISSUER: url('the issuer of the accepted tokens'),
  SCOPE_CLAIM: z.string().default('scope'),
  CLIENT_ID_CLAIM: z.string().default('client_id'),
  ROLE_CLAIM: z.string().default('role'),
  TOKEN_TYPE: z.string().default('at+jwt'),
  ASSERTION_KEYS: keySet('public').optional(),
  ASSERTION_CLIENT_ID: z.string().default('desk-gateway'),
  AUDIENCE: url('the resource identifier of this service, e.g. http://127.0.0.1:8081/v1'),
  IDENTITY_KEYS: keySet('private')
    .refine(({ keys }) => new Set(keys.map(({ kid }) => kid).filter(Boolean)).size === keys.length, {
      error: 'must have a kid for each key, none of them twice',
    })
    .optional(),
  IDENTITY_GATEWAY_SECRET: secret(32).optional(),
  IDENTITY_GATEWAY_AUDIENCE: z
    .string()
    .transform(list)
    .pipe(z.array(url("the gateway's URLs, comma-separated")).min(1))
    .optional(),
})

export type Config = ReturnType<typeof configOf>

export type ConfigResult =
  { readonly ok: true; readonly config: Config } | { readonly ok: false; readonly faults: readonly string[] }

/** An empty variable counts as unset; a secret NAME may be in the file that NAME_FILE names. */
export function readConfig(environment: Readonly<Record<string, string | undefined>>): ConfigResult {
  const faults: string[] = []
  const variables = Object.fromEntries(Object.entries(environment).filter(([, value]) => value?.trim()))
  for (const name of SECRETS) readSecretFile(variables, name, faults)
  const parsed = Environment.safeParse(variables)
  if (!parsed.success) {
    faults.push(...parsed.error.issues.map(({ path, message }) => `${String(path[0])} ${message}.`))
  }
  const missing = IDENTITY.filter(
    (name) => variables[name] === undefined && !faults.some((f) => f.startsWith(name)),
  )
  if (missing.length > 0 && missing.length < IDENTITY.length) {
    faults.push(
      `${missing.join(', ')} must be set too: the embedded authorization server needs all of ${IDENTITY.join(', ')}. ` +
        'Unset all three to use another issuer.',
    )
  }
  if (parsed.success && missing.length === 0 && new URL(parsed.data.ISSUER).pathname.endsWith('/')) {
    faults.push(
      'ISSUER must have a path, without a slash at its end: all below it is the embedded authorization server.',
    )
  }
  if (!parsed.success || faults.length > 0) return { ok: false, faults: [...new Set(faults)] }
  return { ok: true, config: configOf(parsed.data) }
}

function readSecretFile(variables: Record<string, string | undefined>, name: string, faults: string[]): void {
  const file = variables[`${name}_FILE`]
  if (file === undefined) return
  if (variables[name] !== undefined) faults.push(`${name} and ${name}_FILE are both set; unset one of them.`)
  try {
    variables[name] = readFileSync(file, 'utf8').trim()
  } catch {
    faults.push(`${name}_FILE must name a file that can be read.`)
  }
}

function configOf(env: z.infer<typeof Environment>) {
  const { IDENTITY_KEYS, IDENTITY_GATEWAY_SECRET, IDENTITY_GATEWAY_AUDIENCE } = env
  return Object.freeze({
    host: env.HOST,
    port: env.PORT,
    /** Undefined: no metrics are served. */
    admin: env.ADMIN_PORT === undefined ? undefined : { host: env.ADMIN_HOST, port: env.ADMIN_PORT },
    databasePath: env.DATABASE_PATH,
    logLevel: env.LOG_LEVEL,
    validateResponses:
      env.VALIDATE_RESPONSES === undefined
        ? env.NODE_ENV !== 'production'
        : env.VALIDATE_RESPONSES === 'true',
    allowedOrigins: env.ALLOWED_ORIGINS,
    cursorSecret: env.CURSOR_SECRET,
    issuer: env.ISSUER,
    audience: env.AUDIENCE,
    claims: { scope: env.SCOPE_CLAIM, clientId: env.CLIENT_ID_CLAIM, role: env.ROLE_CLAIM },
    tokenType: env.TOKEN_TYPE === 'any' ? undefined : env.TOKEN_TYPE,
    assertions: env.ASSERTION_KEYS && { keys: env.ASSERTION_KEYS, clientId: env.ASSERTION_CLIENT_ID },
    identity:
      IDENTITY_KEYS && IDENTITY_GATEWAY_SECRET && IDENTITY_GATEWAY_AUDIENCE
        ? {
            keys: IDENTITY_KEYS,
            gatewaySecret: IDENTITY_GATEWAY_SECRET,
            gatewayAudiences: IDENTITY_GATEWAY_AUDIENCE,
          }
        : undefined,
  })
}
