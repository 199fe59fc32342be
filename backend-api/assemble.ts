// The app and its metrics out of a configuration: every dependency is made here, once. Knows no process and no port.
import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { RequestHandler } from 'express'
import type { Logger } from 'pino'
import { audiencesOf, createAccessTokenVerifier } from './access-token.ts'
import { createApp } from './app.ts'
import type { Config } from './config.ts'
import { readContract } from './contract.ts'
import { createIdentity } from './identity/identity.ts'
import { createIssuerKeys } from './issuer-keys.ts'
import { createCursors } from './paging/cursor.ts'
import type { SqliteStore } from './store/sqlite/store.ts'
import type { IdentityMetrics } from './telemetry/identity-metrics.ts'
import { createMetrics } from './telemetry/metrics.ts'
import { createUserAssertions } from './user-assertion.ts'

const QUIET_STREAM_MS = 15_000

const clock = () => new Date()
const monotonicMs = () => performance.now()

export interface AssembleContext {
  readonly stopping: AbortSignal
  readonly nodeVersion: string
  readonly traceRequests: RequestHandler | undefined
}

export async function assemble(
  config: Config,
  store: SqliteStore,
  log: Logger,
  { stopping, nodeVersion, traceRequests }: AssembleContext,
) {
  const contract = readContract()
  const metrics = createMetrics({
    version: await readVersion(),
    nodeVersion,
    contract,
    identityPath: config.identity && new URL(config.issuer).pathname,
    countTickets: () =>
      store.countTickets().catch((error: unknown) => {
        log.error({ err: error }, 'the tickets cannot be counted for the metrics')
        throw error
      }),
    monotonicMs,
  })
  const app = createApp({
    ...config,
    store,
    log,
    metrics: metrics.desk,
    observeRequest: metrics.observeRequest,
    traceRequests,
    clock,
    stopping,
    contract,
    cursors: createCursors(config.cursorSecret, clock),
    policy: await readFile(new URL('policy.md', import.meta.url), 'utf8'),
    quietStreamMs: QUIET_STREAM_MS,
    mintId: randomUUID,
    monotonicMs,
    verifyAccessToken: verifierOf(config),
    identity: identityOf(config, store, log, metrics.identity),
  })
  return { app, metrics }
}

function verifierOf({ issuer, audience, claims, tokenType, assertions }: Config) {
  return createAccessTokenVerifier({
    issuer,
    audience,
    clock,
    keys: createIssuerKeys(issuer, clock),
    claims,
    tokenType,
    assertions:
      assertions && createUserAssertions({ ...assertions, audiences: audiencesOf(audience), clock }),
  })
}

/** Undefined where another issuer is used. */
function identityOf(config: Config, store: SqliteStore, log: Logger, metrics: IdentityMetrics) {
  const { issuer, audience, identity } = config
  if (identity === undefined) return undefined
  const { handler } = createIdentity({
    ...identity,
    issuer,
    serviceAudience: audience,
    state: store.identity,
    findPerson: (id) => store.findPerson(id),
    clock,
    mintId: randomUUID,
    log,
    metrics,
  })
  return { issuer, handler }
}

export async function readVersion(): Promise<string> {
  const manifest = await readFile(new URL('../package.json', import.meta.url), 'utf8')
  return (JSON.parse(manifest) as { version: string }).version
}
