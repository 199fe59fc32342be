// The environment as a frozen configuration. Every fault is listed at once, with the variable's name and the fix.
import { readFileSync } from 'node:fs'
import { z } from 'zod'

const url = z.url({ protocol: /^https?$/, error: 'must be an http(s) URL' })
const list = z.string().transform((text) =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter(Boolean),
)
const urls = list.pipe(z.array(url).min(1))
const port = z.coerce.number().int().min(0).max(65_535)

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
  ALLOWED_ORIGINS: list.default([]),
  CALL_TIMEOUT_MS: z.coerce.number().int().min(100).max(55_000).default(20_000),
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
  const parsed = Environment.safeParse(withSecretFiles(env))
  if (!parsed.success) throw new ConfigError(faults(parsed.error))
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

/** Empty means unset; `CLIENT_SECRET_FILE` names a file that holds the secret. */
function withSecretFiles(env: Variables): Variables {
  const set = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''))
  const file = set['CLIENT_SECRET_FILE']
  if (set['CLIENT_SECRET'] !== undefined || file === undefined) return set
  try {
    return { ...set, CLIENT_SECRET: readFileSync(file, 'utf8').trim() }
  } catch {
    throw new ConfigError(`  CLIENT_SECRET_FILE: cannot read ${file}; name a readable file`)
  }
}

function faults(error: z.ZodError): string {
  return error.issues
    .map(({ path, code, message }) => {
      const name = String(path[0])
      const missing = code === 'invalid_type' && message.includes('undefined')
      return `  ${name}: ${missing ? 'is required and not set' : message}`
    })
    .join('\n')
}
