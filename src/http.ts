// The gateway as an HTTP server that is not listening yet, and how it stops.
import { createServer, type Server } from 'node:http'
import type { Logger } from 'pino'
import { compose, type Gateway } from './compose.ts'
import type { Config } from './config.ts'
import { createApp } from './gateway/app.ts'
import { createStrangerBound } from './gateway/bound-strangers.ts'
import { createAddressOf } from './gateway/client-address.ts'
import { prepareDrain } from './gateway/drain.ts'
import { createMcpEndpoint } from './gateway/mcp-endpoint.ts'
import type { RequestContext } from './gateway/mcp-server.ts'

const SERVER_OPTIONS = {
  /** Longer than the idle time of the usual balancers (60 s), so that it is they who close. */
  keepAliveTimeout: 65_000,
  /** A client that sends slowly on purpose holds a connection no longer than this. */
  headersTimeout: 5_000,
  requestTimeout: 15_000,
  connectionsCheckingInterval: 1_000,
  maxHeaderSize: 16 * 1024,
}
/** Longer than any call, and than the pause between the comment lines of a stream: whoever does not read is let go. */
const SILENCE_TIMEOUT_MS = 70_000
/** Each costs a file and some kilobytes; past this new ones are turned away. */
const MAX_CONNECTIONS = 20_000

export interface HttpGateway extends Gateway {
  readonly server: Server
  /** Readiness goes 503, streams end, calls in flight finish within a bound, connections close. */
  stop(): Promise<void>
}

export function createHttpGateway(config: Config, log: Logger): HttpGateway {
  const gateway = compose(config, log, (extra) => extra as RequestContext)
  const endpoint = createMcpEndpoint({
    factory: gateway.factory,
    onError: (error) => {
      log.debug({ reason: error.message }, 'MCP request refused')
    },
  })
  let draining = false
  const app = createApp({
    publicUrls: config.publicUrls,
    issuer: config.issuer,
    allowedHosts: config.allowedHosts,
    allowedOrigins: config.allowedOrigins,
    catalogue: gateway.catalogue,
    mayUse: gateway.policy.mayUse,
    strangers: createStrangerBound(config.unauthenticatedPerMinute, createAddressOf(config.trustedProxies)),
    verify: gateway.verify,
    takePermit: gateway.takePermit,
    onCeiling: (tool) => {
      gateway.metrics.rejected(tool, 'over_ceiling')
    },
    endpoint,
    readiness: {
      parts: {
        'ticket service': (signal) => gateway.backend.ready(signal),
        issuer: () => gateway.issuer.metadata().then(() => true),
      },
      draining: () => draining,
    },
    onRefusal: ({ requestId, ...refusal }) => {
      log.info({ request_id: requestId, ...refusal }, 'request refused')
    },
    onIssuerFault: (cause, request_id) => {
      log.error({ request_id, cause }, 'the issuer is out of reach')
    },
    onBug: (error, request_id) => {
      log.error({ request_id, err: error }, 'a request failed in the gateway')
    },
  })
  const server = createServer(SERVER_OPTIONS, app)
  server.maxConnections = MAX_CONNECTIONS
  server.setTimeout(SILENCE_TIMEOUT_MS)
  const drain = prepareDrain(server)
  return {
    ...gateway,
    server,
    async stop() {
      draining = true
      // Together: streams hold the server open, and the bound on draining also ends calls that do not end by themselves.
      await Promise.all([endpoint.close(), drain()])
      await gateway.close()
    },
  }
}
