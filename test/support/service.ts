// The ticket service for tests: the real app on a real port with a real SQLite file, and tokens of a test issuer.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { JSONWebKeySet } from 'jose'
import { pino } from 'pino'
import { createAccessTokenVerifier } from '../../backend-api/access-token.ts'
import { createApp } from '../../backend-api/app.ts'
import { STANDARD_CLAIMS } from '../../backend-api/claims.ts'
import type { ClaimNames } from '../../backend-api/claims.ts'
import { readContract } from '../../backend-api/contract.ts'
import { createIssuerKeys } from '../../backend-api/issuer-keys.ts'
import { createCursors } from '../../backend-api/paging/cursor.ts'
import { drain, listen } from '../../backend-api/server.ts'
import { openSqliteStore } from '../../backend-api/store/sqlite/store.ts'
import type { SqliteStore } from '../../backend-api/store/sqlite/store.ts'
import { createMetrics } from '../../backend-api/telemetry/metrics.ts'
import type { Metrics } from '../../backend-api/telemetry/metrics.ts'
import { createUserAssertions } from '../../backend-api/user-assertion.ts'
import type { PersonWithRole } from '../../openapi/desk.gen.ts'
import { keepLog } from './kept-logs.ts'
import { startTestIssuer } from './test-issuer.ts'
import type { TestIssuer } from './test-issuer.ts'

export const AUDIENCE = 'http://desk.test/v1'

export const PEOPLE: readonly PersonWithRole[] = [
  { id: 'alice', name: 'Alice Novak', role: 'staff' },
  { id: 'bob', name: 'Bob Lindqvist', role: 'staff' },
  { id: 'carol', name: 'Carol Diaz', role: 'customer' },
  { id: 'dave', name: 'Dave Moreau', role: 'admin' },
  { id: 'erin', name: 'Erin Okafor', role: 'customer' },
]

export interface Service {
  /** Ends with /v1. */
  readonly url: string
  readonly store: SqliteStore
  readonly issuer: TestIssuer
  readonly logLines: readonly string[]
  readonly metrics: Metrics
  readonly databasePath: string
  readonly clock: { now: () => Date }
  /** A token with every scope that the person's role may have. */
  tokenOf(person: string, claims?: Record<string, unknown>): Promise<string>
  /** Signals what SIGTERM does: readiness ends, streams close. */
  beginStop(): void
  close(): Promise<void>
}

export interface ServiceOptions {
  readonly allowedOrigins?: readonly string[]
  readonly quietStreamMs?: number
  readonly now?: () => Date
  readonly claims?: ClaimNames
  readonly tokenType?: string | undefined
  readonly assertions?: { readonly keys: JSONWebKeySet; readonly clientId: string }
}

export async function startService(options: ServiceOptions = {}): Promise<Service> {
  const folder = await mkdtemp(join(tmpdir(), 'desk-'))
  const databasePath = join(folder, 'desk.sqlite')
  const store = await openSqliteStore(databasePath)
  await store.load(PEOPLE, [], 'test')
  const issuer = await startTestIssuer()
  const time = { now: options.now ?? (() => new Date()) }
  const clock = () => time.now()
  const stopping = new AbortController()
  const logLines: string[] = []
  const contract = readContract()
  const metrics = createMetrics({
    version: '1.2.3',
    nodeVersion: 'v20',
    contract,
    identityPath: undefined,
    countTickets: () => store.countTickets(),
    monotonicMs: () => performance.now(),
  })
  const app = createApp({
    store,
    cursors: createCursors('a secret for tests of 32 characters', clock),
    clock,
    stopping: stopping.signal,
    quietStreamMs: options.quietStreamMs ?? 15_000,
    policy: '# Policy\n',
    log: pino(
      { level: 'debug' },
      {
        write: (line: string) => {
          logLines.push(line)
          keepLog(line)
        },
      },
    ),
    contract,
    verifyAccessToken: createAccessTokenVerifier({
      issuer: issuer.issuer,
      audience: AUDIENCE,
      keys: createIssuerKeys(issuer.issuer, clock),
      clock,
      claims: options.claims ?? STANDARD_CLAIMS,
      tokenType: 'tokenType' in options ? options.tokenType : 'at+jwt',
      assertions:
        options.assertions && createUserAssertions({ ...options.assertions, audiences: [AUDIENCE], clock }),
    }),
    validateResponses: true,
    allowedOrigins: options.allowedOrigins ?? [],
    mintId: () => crypto.randomUUID(),
    monotonicMs: () => performance.now(),
    metrics: metrics.desk,
    observeRequest: metrics.observeRequest,
    identity: undefined,
  })
  const { server, port } = await listen(app, '127.0.0.1', 0)

  return {
    url: `http://127.0.0.1:${port}/v1`,
    store,
    issuer,
    logLines,
    metrics,
    databasePath,
    clock: time,
    tokenOf: (person, claims) => issuer.sign({ aud: AUDIENCE, ...claimsOf(person), ...claims }),
    beginStop: () => {
      stopping.abort()
    },
    close: async () => {
      stopping.abort()
      await drain(server, 1_000)
      await store.close()
      await issuer.close()
      await rm(folder, { recursive: true })
    },
  }
}

/** The claims that the desk's people have in their tokens. */
export function claimsOf(person: string) {
  const { id, name, role } = PEOPLE.find((known) => known.id === person) ?? {
    id: person,
    name: person,
    role: 'customer' as const,
  }
  const scope = role === 'admin' ? 'tickets:read tickets:write desk:admin' : 'tickets:read tickets:write'
  return { sub: id, name, role, scope }
}
