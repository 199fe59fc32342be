// What the HTTP server and the stdio server have in common: configuration in, a ready MCP server factory out.
import { readFileSync } from 'node:fs'
import type { McpServerFactory } from '@modelcontextprotocol/server'
import { parse } from 'yaml'
import { throughBackchannel } from './backend/backchannel.ts'
import type { Backend } from './backend/backend.ts'
import { createIssuer, type Issuer } from './backend/issuer.ts'
import { createCallTelemetry, type Observers } from './call-telemetry.ts'
import { createClientPolicy, type ClientPolicy } from './client-policy.ts'
import { ConfigError, type Config } from './config.ts'
import { createServerFactory, type McpServerPorts } from './gateway/mcp-server.ts'
import { createTokenVerifier, type VerifyToken } from './gateway/verify-token.ts'
import { createLimits } from './limits.ts'
import type { Audit } from './telemetry/audit.ts'
import { createMetrics, type Metrics } from './telemetry/metrics.ts'
import { connectTicketService } from './ticket-service.ts'
import type { TakePermit } from './tools/admission.ts'
import { createCatalogue, NameRuleError, type Catalogue } from './tools/catalogue.ts'
import { registry } from './tools/registry.ts'
import { createRunner } from './tools/run-tool.ts'
import { nodeVersion, readVersion } from './version.ts'

export interface Gateway {
  readonly issuer: Issuer
  readonly verify: VerifyToken
  readonly backend: Backend
  readonly catalogue: Catalogue
  readonly metrics: Metrics
  readonly audit: Audit
  readonly policy: ClientPolicy
  readonly takePermit: TakePermit
  readonly factory: McpServerFactory
  /** Closes the connections to the service and to Redis, and writes and sends what is left of audit and spans. */
  close(): Promise<void>
}

/** Builds everything that is built once. Throws when the namespace or the tools break a rule of the catalogue. */
export function compose(
  config: Config,
  observers: Observers,
  contextOf: McpServerPorts['contextOf'],
): Gateway {
  const { log, tracing } = observers
  const issuer = createIssuer(
    config.issuer,
    throughBackchannel(config.issuer, config.issuerBackchannel, fetch),
  )
  const catalogue = readCatalogue(config.namespace)
  const metrics = describedMetrics(catalogue)
  const { backend, ...service } = connectTicketService(config, issuer, metrics, log)
  const { openCall, audit } = createCallTelemetry(config, metrics, observers)
  const policy = createClientPolicy(
    config.clientPolicyFile,
    registry.map(({ name }) => name),
    ({ clients, limitClasses }) => {
      metrics.listClients(clients)
      metrics.listLimitClasses(limitClasses)
    },
  )
  const { takePermit, enter, ...limits } = createLimits(config, policy, metrics, log)
  const runTool = createRunner({
    catalogue,
    backend,
    timeoutMs: config.callTimeoutMs,
    mayUse: policy.mayUse,
    takePermit,
    enter,
    openCall,
    onBug: (error, request_id) => {
      log.error({ request_id, err: error }, 'a tool call failed in the gateway')
    },
  })
  const version = readVersion()
  const factory = createServerFactory({ catalogue, runTool, backend, enter, version, contextOf })
  const verify = createVerifier(config, issuer, metrics)
  metrics.watch({
    saturation: limits.inside,
    cacheEntries: () => ({ tokens: verify.entries(), credentials: service.credentials.size() }),
  })
  return {
    issuer,
    verify,
    backend,
    catalogue,
    metrics,
    audit,
    policy,
    takePermit,
    factory,
    async close() {
      await service.close()
      limits.close()
      audit.close()
      await tracing.stop()
    },
  }
}

function createVerifier({ publicUrls, claims, tokenType }: Config, issuer: Issuer, metrics: Metrics) {
  const audiences = publicUrls.map(({ href }) => href)
  const onResult = metrics.verified
  return createTokenVerifier({ issuer, audiences, claims, tokenType, now: Date.now, onResult })
}

function describedMetrics({ list, digest }: Catalogue): Metrics {
  const metrics = createMetrics(list.map(({ name }) => name))
  const version = readVersion()
  metrics.describe({ version, nodeVersion, catalogue: { version, digest } })
  return metrics
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
