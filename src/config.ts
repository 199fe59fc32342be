// The environment as a frozen configuration. Every fault is listed at once, with the variable's name and the fix.
import { readFileSync } from 'node:fs'
import { z } from 'zod'

const url = z.url({ protocol: /^https?$/, error: 'must be an http(s) URL' })
/** As browsers send it: scheme, host and port, no path. */
const origin = z.string().refine((text) => URL.canParse(text) && new URL(text).origin === text, {
  error: 'must list origins such as https://app.example.com',
})
const list = z.string().transform((text) =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter(Boolean),
)
const urls = list.pipe(z.array(url).min(1, 'must name at least one URL'))
const wholeNumber = (min: number, max: number) => {
  const error = `must be a whole number from ${min} to ${max}`
  return z.coerce.number(error).int(error).min(min, error).max(max, error)
}
const port = wholeNumber(0, 65_535)

const Environment = z.object({
  HOST: z.string().default('127.0.0.1'),
  PORT: port.default(8080),
  /** Where clients reach /mcp. The first is the canonical one; each is an audience that tokens may carry. */
  PUBLIC_URL: urls.default(['http://127.0.0.1:8080/mcp', 'http://localhost:8080/mcp']),
  BACKEND_URL: url.default('http://127.0.0.1:8081/v1'),
  BACKEND_AUDIENCE: url.optional(),
  ISSUER: url,
  CLIENT_ID: z.string().default('desk-gateway'),
  CLIENT_SECRET: z.string().min(16, 'must have at least 16 characters'),
  NAMESPACE: z.string().default('acme_desk'),
  ALLOWED_HOSTS: list.default([]),
  ALLOWED_ORIGINS: list.pipe(z.array(origin)).default([]),
  CALL_TIMEOUT_MS: wholeNumber(100, 55_000).default(20_000),
  ADMIN_PORT: port.optional(),
  LOG_LEVEL: z.enum(['silent', 'error', 'warn', 'info', 'debug']).default('info'),
})

export interface Config {
  readonly host: string
  readonly port: number
  readonly publicUrls: readonly URL[]
  readonly backendUrl: URL
  readonly backendAudience: string
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string
  readonly namespace: string
  readonly allowedHosts: readonly string[]
  readonly allowedOrigins: readonly string[]
  readonly callTimeoutMs: number
  /** Metrics are served here when set, on loopback only. */
  readonly adminPort: number | undefined
  readonly logLevel: string
}

export class ConfigError extends Error {}

type Variables = Readonly<Record<string, string | undefined>>

/** Reads the environment; throws a ConfigError that names every variable at fault. */
export function readConfig(env: Variables): Config {
  const { variables, unreadable } = withSecretFile(env)
  const parsed = Environment.safeParse(variables)
  if (!parsed.success) throw new ConfigError([...unreadable, ...faultsOf(parsed.error, variables)].join('\n'))
  const read = parsed.data
  const publicUrls = read.PUBLIC_URL.map((text) => new URL(text))
  return Object.freeze({
    host: read.HOST,
    port: read.PORT,
    publicUrls,
    backendUrl: new URL(read.BACKEND_URL),
    backendAudience: read.BACKEND_AUDIENCE ?? read.BACKEND_URL,
    issuer: read.ISSUER,
    clientId: read.CLIENT_ID,
    clientSecret: read.CLIENT_SECRET,
    namespace: read.NAMESPACE,
    allowedHosts: [...publicUrls.map(({ host }) => host), ...read.ALLOWED_HOSTS],
    allowedOrigins: read.ALLOWED_ORIGINS,
    callTimeoutMs: read.CALL_TIMEOUT_MS,
    adminPort: read.ADMIN_PORT,
    logLevel: read.LOG_LEVEL,
  })
}

/** Empty means unset; `CLIENT_SECRET_FILE` names a file that holds the secret, which stays unset when it is unreadable. */
function withSecretFile(env: Variables): { variables: Variables; unreadable: readonly string[] } {
  const variables = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''))
  const file = variables['CLIENT_SECRET_FILE']
  if (variables['CLIENT_SECRET'] !== undefined || file === undefined) return { variables, unreadable: [] }
  try {
    return { variables: { ...variables, CLIENT_SECRET: readFileSync(file, 'utf8').trim() }, unreadable: [] }
  } catch {
    return { variables, unreadable: [`  CLIENT_SECRET_FILE: cannot read ${file}; name a readable file`] }
  }
}

function faultsOf(error: z.ZodError, variables: Variables): string[] {
  return error.issues.map(({ path, message }) => {
    const name = String(path[0])
    return `  ${name}: ${variables[name] === undefined ? 'is required and not set' : message}`
  })
}
