// What the HTTP server and the stdio server have in common: configuration in, a ready MCP server factory out.
import { readFileSync } from 'node:fs'
import type { McpServerFactory } from '@modelcontextprotocol/server'
import type { Logger } from 'pino'
import { parse } from 'yaml'
import { createBackend, type Backend } from './backend/backend.ts'
import { createBreaker } from './backend/breaker.ts'
import { createIssuer, type Issuer } from './backend/issuer.ts'
import { createPool } from './backend/pool-request.ts'
import { createRetry } from './backend/retry.ts'
import type { ServiceCredentials } from './backend/service-credentials.ts'
import { createTokenExchange } from './backend/token-exchange.ts'
import { createUserAssertion } from './backend/user-assertion.ts'
import { createClientPolicy, type ClientPolicy } from './client-policy.ts'
import { ConfigError, type Config } from './config.ts'
import { createBulkhead } from './gateway/limits/bulkhead.ts'
import { createServerFactory, type McpServerPorts } from './gateway/mcp-server.ts'
import { createTokenVerifier, type VerifyToken } from './gateway/verify-token.ts'
import { createLimits } from './limits.ts'
import { createMetrics, type Metrics } from './telemetry/metrics.ts'
import type { TakePermit } from './tools/admission.ts'
import { createCatalogue, NameRuleError, type Catalogue } from './tools/catalogue.ts'
import { registry } from './tools/registry.ts'
import { createRunner, type CallRecord } from './tools/run-tool.ts'

export interface Gateway {
  readonly issuer: Issuer
  readonly verify: VerifyToken
  readonly backend: Backend
  readonly catalogue: Catalogue
  readonly metrics: Metrics
  readonly policy: ClientPolicy
  readonly takePermit: TakePermit
  readonly factory: McpServerFactory
  /** Closes the connections to the service and to Redis. */
  close(): Promise<void>
}

/** Builds everything that is built once. Throws when the namespace or the tools break a rule of the catalogue. */
export function compose(config: Config, log: Logger, contextOf: McpServerPorts['contextOf']): Gateway {
  const issuer = createIssuer(config.issuer, fetch)
  const audiences = config.publicUrls.map(({ href }) => href)
  const catalogue = readCatalogue(config.namespace)
  const metrics = createMetrics(catalogue.list.map(({ name }) => name))
  const { backend, pool } = connectBackend(config, issuer, metrics, log)
  const policy = createClientPolicy(
    config.clientPolicyFile,
    registry.map(({ name }) => name),
  )
  const limits = createLimits(config, policy, metrics, log)
  const enter = createBulkhead({
    inFlight: config.maxCallsInFlight,
    inFlightPerClient: config.maxCallsInFlightPerClient,
  })
  const runTool = createRunner({
    catalogue,
    backend,
    timeoutMs: config.callTimeoutMs,
    mayUse: policy.mayUse,
    takePermit: limits.takePermit,
    enter,
    now: () => performance.now(),
    onCall: (record) => {
      metrics.observe(record)
      logCall(log, record)
    },
    onBug: (error, request_id) => {
      log.error({ request_id, err: error }, 'a tool call failed in the gateway')
    },
  })
  const factory = createServerFactory({
    catalogue,
    runTool,
    backend,
    enter,
    version: readVersion(),
    contextOf,
  })
  const { claims, tokenType } = config
  const verify = createTokenVerifier({ issuer, audiences, claims, tokenType, now: Date.now })
  return {
    issuer,
    verify,
    backend,
    catalogue,
    metrics,
    policy,
    takePermit: limits.takePermit,
    factory,
    async close() {
      limits.close()
      await pool.close()
    },
  }
}

/** The door to the service, with what guards it. */
function connectBackend(config: Config, issuer: Issuer, metrics: Metrics, log: Logger) {
  const pool = createPool(config.backendUrl.origin)
  const backend = createBackend({
    pool,
    basePath: config.backendUrl.pathname.replace(/\/$/, ''),
    credentials: credentialsOf(config, issuer),
    breaker: createBreaker((open) => {
      metrics.breakerOpen(open)
      log.warn({ open }, 'breaker of the ticket service')
    }),
    retry: createRetry({ random: Math.random, onRetry: metrics.retried }),
    now: Date.now,
    onCredentialFault: (detail, request_id) => {
      log.error({ request_id, detail }, 'the gateway gets no access to the ticket service')
    },
  })
  return { backend, pool }
}

function credentialsOf(config: Config, issuer: Issuer): ServiceCredentials {
  const { clientId, clientSecret, backendAudience: resource, assertionKey: key } = config
  const client = { issuer, clientId, clientSecret, fetch }
  if (key) return createUserAssertion({ client, resource, key, now: Date.now })
  return createTokenExchange(client, resource)
}

function logCall(log: Logger, record: CallRecord): void {
  const { caller, errorClass, errorCode } = record
  const line = {
    request_id: record.requestId,
    tool: record.tool,
    ticket: record.ticketId,
    user: caller.subject,
    client: caller.clientId,
    class: errorClass,
    code: errorCode,
    ms: Math.round(record.seconds * 10_000) / 10,
    ...(record.removedCharacters > 0 && { removed_characters: record.removedCharacters }),
    ...(record.drifted && { drift: true }),
  }
  if (record.drifted) log.warn(line, 'tool call; the reply left the contract')
  else log.info(line, 'tool call')
}

function readCatalogue(namespace: string): Catalogue {
  const contract: unknown = parse(readFileSync(new URL('../openapi/desk.yaml', import.meta.url), 'utf8'))
  try {
    return createCatalogue({ namespace, contract, tools: registry })
  } catch (error) {
    if (error instanceof NameRuleError) throw new ConfigError(`  NAMESPACE: ${error.message}`)
    throw error
  }
}

function readVersion(): string {
  const manifest = readFileSync(new URL('../package.json', import.meta.url), 'utf8')
  return (JSON.parse(manifest) as { version: string }).version
}
