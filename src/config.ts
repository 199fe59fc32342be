// The environment as a frozen configuration. Every fault is listed at once, with the variable's name and the fix.
import { createPrivateKey } from 'node:crypto'
import type { JWK } from 'jose'
import { z } from 'zod'
import { isAddressRange } from './gateway/client-address.ts'
import { withSecretFiles, type Variables } from './secret-files.ts'
import type { ClaimNames } from './gateway/claims.ts'
import type { Limits } from './gateway/limits/rate-limits.ts'

const url = z.url({ protocol: /^https?$/, error: 'must be an http(s) URL' })
/** As browsers send it: scheme, host and port, no path. */
const isOrigin = (text: string) => URL.canParse(text) && new URL(text).origin === text
const origin = z.string().refine(isOrigin, { error: 'must list origins such as https://app.example.com' })
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

const range = z.string().refine(isAddressRange, { error: 'must list addresses or ranges such as 10.0.0.0/8' })
const privateKey = z.string().transform((text, context): JWK => {
  try {
    const key = JSON.parse(text) as JWK
    if (createPrivateKey({ key, format: 'jwk' }).asymmetricKeyDetails?.namedCurve === 'prime256v1') return key
  } catch {
    // Said below, without the text: it may be half of a key.
  }
  context.addIssue({ code: 'custom', message: 'must be a private JSON Web Key for ES256' })
  return z.NEVER
})

const Environment = z
  .object({
    HOST: z.string().default('127.0.0.1'),
    PORT: port.default(8080),
    /** Where clients reach /mcp. The first is the canonical one; each is an audience that tokens may carry. */
    PUBLIC_URL: urls.default(['http://127.0.0.1:8080/mcp', 'http://localhost:8080/mcp']),
    BACKEND_URL: url.default('http://127.0.0.1:8081/v1'),
    BACKEND_AUDIENCE: url.optional(),
    ISSUER: url,
    ISSUER_BACKCHANNEL: url.refine(isOrigin, 'must be an origin, without a path').optional(),
    CLIENT_ID: z.string().default('desk-gateway'),
    CLIENT_SECRET: z.string().min(16, 'must have at least 16 characters'),
    SCOPE_CLAIM: z.string().default('scope'),
    CLIENT_ID_CLAIM: z.string().default('client_id'),
    ROLE_CLAIM: z.string().default('role'),
    TOKEN_TYPE: z.string().default('at+jwt'),
    ASSERTION_KEY: privateKey.optional(),
    CLIENT_POLICY_FILE: z.string().optional(),
    TRUSTED_PROXIES: list.pipe(z.array(range)).default([]),
    NAMESPACE: z.string().default('acme_desk'),
    ALLOWED_HOSTS: list.default([]),
    ALLOWED_ORIGINS: list.pipe(z.array(origin)).default([]),
    LIMIT_READS_PER_MINUTE: wholeNumber(0, 1_000_000).default(3_000),
    LIMIT_WRITES_PER_MINUTE: wholeNumber(0, 1_000_000).default(600),
    LIMIT_EXPORTS_PER_MINUTE: wholeNumber(0, 1_000_000).default(120),
    LIMIT_HARD_FACTOR: wholeNumber(1, 1_000).default(4),
    LIMIT_UNAUTHENTICATED_PER_MINUTE: wholeNumber(1, 1_000_000).default(1_000),
    REDIS_URL: z.url({ protocol: /^rediss?$/, error: 'must be a redis(s) URL' }).optional(),
    MAX_CALLS_IN_FLIGHT: wholeNumber(1, 64).default(64),
    MAX_CALLS_IN_FLIGHT_PER_CLIENT: wholeNumber(1, 64).default(16),
    CALL_TIMEOUT_MS: wholeNumber(100, 55_000).default(20_000),
    ADMIN_PORT: port.optional(),
    ADMIN_HOST: z.string().default('127.0.0.1'),
    AUDIT_FILE: z.string().optional(),
    AUDIT_REQUIRED: z.enum(['true', 'false'], { error: 'must be true or false' }).default('false'),
    LOG_LEVEL: z.enum(['silent', 'error', 'warn', 'info', 'debug']).default('info'),
  })
  .refine((read) => read.AUDIT_REQUIRED === 'false' || read.AUDIT_FILE !== undefined, {
    path: ['AUDIT_REQUIRED'],
    error: 'needs AUDIT_FILE, which says where the audit is written',
  })

export interface Config {
  readonly host: string
  readonly port: number
  readonly publicUrls: readonly URL[]
  readonly backendUrl: URL
  readonly backendAudience: string
  readonly issuer: string
  /** Origin at which the issuer's endpoints are reached from here, where it is not the one in their URLs. */
  readonly issuerBackchannel: string | undefined
  readonly clientId: string
  readonly clientSecret: string
  readonly claims: ClaimNames
  /** `typ` that access tokens must have; undefined for any. */
  readonly tokenType: string | undefined
  /** Set: users are vouched for with this key; unset: their tokens are exchanged. */
  readonly assertionKey: JWK | undefined
  readonly clientPolicyFile: string | undefined
  /** Addresses and ranges whose forwarded headers are believed. */
  readonly trustedProxies: readonly string[]
  readonly namespace: string
  readonly allowedHosts: readonly string[]
  readonly allowedOrigins: readonly string[]
  /** Calls a minute of one client for one person. */
  readonly limits: Limits
  /** The hard ceiling is this many times the limit. */
  readonly limitHardFactor: number
  /** Of one address. */
  readonly unauthenticatedPerMinute: number
  /** Set: replicas share their limits there. */
  readonly redisUrl: string | undefined
  /** At most as many as there are connections to the service. */
  readonly maxCallsInFlight: number
  readonly maxCallsInFlightPerClient: number
  readonly callTimeoutMs: number
  /** Metrics are served here when set. */
  readonly adminPort: number | undefined
  readonly adminHost: string
  /** A path, or `stderr`; undefined for no audit. */
  readonly auditFile: string | undefined
  /** Writes are refused while the audit cannot be written. */
  readonly auditRequired: boolean
  readonly logLevel: string
}

export class ConfigError extends Error {}

/** Reads the environment; throws a ConfigError that names every variable at fault. */
export function readConfig(env: Variables): Config {
  const { variables, faults } = withSecretFiles(env, ['CLIENT_SECRET', 'ASSERTION_KEY', 'REDIS_URL'])
  const parsed = Environment.safeParse(variables)
  if (!parsed.success || faults.length > 0)
    throw new ConfigError(
      [...faults, ...(parsed.success ? [] : faultsOf(parsed.error, variables))].join('\n'),
    )
  const read = parsed.data
  const publicUrls = read.PUBLIC_URL.map((text) => new URL(text))
  return Object.freeze({
    host: read.HOST,
    port: read.PORT,
    publicUrls,
    backendUrl: new URL(read.BACKEND_URL),
    backendAudience: read.BACKEND_AUDIENCE ?? read.BACKEND_URL,
    issuer: read.ISSUER,
    issuerBackchannel: read.ISSUER_BACKCHANNEL,
    clientId: read.CLIENT_ID,
    clientSecret: read.CLIENT_SECRET,
    claims: { scope: read.SCOPE_CLAIM, clientId: read.CLIENT_ID_CLAIM, role: read.ROLE_CLAIM },
    tokenType: read.TOKEN_TYPE === 'any' ? undefined : read.TOKEN_TYPE,
    assertionKey: read.ASSERTION_KEY,
    clientPolicyFile: read.CLIENT_POLICY_FILE,
    trustedProxies: read.TRUSTED_PROXIES,
    namespace: read.NAMESPACE,
    allowedHosts: [...publicUrls.map(({ host }) => host), ...read.ALLOWED_HOSTS],
    allowedOrigins: read.ALLOWED_ORIGINS,
    limits: {
      reads: read.LIMIT_READS_PER_MINUTE,
      writes: read.LIMIT_WRITES_PER_MINUTE,
      exports: read.LIMIT_EXPORTS_PER_MINUTE,
    },
    limitHardFactor: read.LIMIT_HARD_FACTOR,
    unauthenticatedPerMinute: read.LIMIT_UNAUTHENTICATED_PER_MINUTE,
    redisUrl: read.REDIS_URL,
    maxCallsInFlight: read.MAX_CALLS_IN_FLIGHT,
    maxCallsInFlightPerClient: read.MAX_CALLS_IN_FLIGHT_PER_CLIENT,
    callTimeoutMs: read.CALL_TIMEOUT_MS,
    adminPort: read.ADMIN_PORT,
    adminHost: read.ADMIN_HOST,
    auditFile: read.AUDIT_FILE,
    auditRequired: read.AUDIT_REQUIRED === 'true',
    logLevel: read.LOG_LEVEL,
  })
}

function faultsOf(error: z.ZodError, variables: Variables): string[] {
  return error.issues.map(({ path, message }) => {
    const name = String(path[0])
    return `  ${name}: ${variables[name] === undefined ? 'is required and not set' : message}`
  })
}
