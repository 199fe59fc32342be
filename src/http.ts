// The gateway as an HTTP server that is not listening yet, and how it stops.
import { createServer, type Server } from 'node:http'
import type { Express } from 'express'
import type { Logger } from 'pino'
import type { Observers } from './call-telemetry.ts'
import { compose, type Gateway } from './compose.ts'
import type { Config } from './config.ts'
import { createApp } from './gateway/app.ts'
import { createStrangerBound } from './gateway/bound-strangers.ts'
import { createAddressOf } from './gateway/client-address.ts'
import { prepareDrain } from './gateway/drain.ts'
import { createMcpEndpoint, type McpEndpoint } from './gateway/mcp-endpoint.ts'
import type { RequestContext } from './gateway/mcp-server.ts'
import { traceContextOf } from './telemetry/trace-context.ts'
import { ticketIdOf } from './tools/run-tool.ts'

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

/** The SDK's reasons quote headers, methods and names, which may be as long as a message. */
const MAX_REASON_CHARACTERS = 300

export interface HttpGateway extends Gateway {
  readonly server: Server
  /** Readiness goes 503, streams end, calls in flight finish within a bound, connections close. */
  stop(): Promise<void>
}

export function createHttpGateway(config: Config, observers: Observers): HttpGateway {
  const { log } = observers
  const gateway = compose(config, observers, (extra) => extra as RequestContext)
  const { metrics } = gateway
  const endpoint = createMcpEndpoint({
    factory: gateway.factory,
    onError: (error) => {
      log.debug({ reason: error.message.slice(0, MAX_REASON_CHARACTERS) }, 'MCP request refused')
    },
    onOperation: metrics.operation,
  })
  metrics.watch({ openStreams: endpoint.openStreams })
  let draining = false
  const app = createGatewayApp(config, gateway, endpoint, { log, draining: () => draining })
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

function createGatewayApp(
  config: Config,
  gateway: Gateway,
  endpoint: McpEndpoint,
  { log, draining }: { readonly log: Logger; readonly draining: () => boolean },
): Express {
  const { metrics } = gateway
  return createApp({
    publicUrls: config.publicUrls,
    issuer: config.issuer,
    allowedHosts: config.allowedHosts,
    allowedOrigins: config.allowedOrigins,
    catalogue: gateway.catalogue,
    mayUse: gateway.policy.mayUse,
    strangers: createStrangerBound(
      config.unauthenticatedPerMinute,
      createAddressOf(config.trustedProxies),
      metrics.strangerRefused,
    ),
    verify: gateway.verify,
    takePermit: gateway.takePermit,
    onCeiling: metrics.overCeiling,
    onDenied: ({ message: { meta, headers }, ...call }) => {
      gateway.audit.record({
        ...call,
        ticketId: ticketIdOf(call.arguments),
        traceId: traceContextOf(meta, headers)?.traceId,
        errorClass: 'forbidden',
        errorCode: 'insufficient_scope',
      })
    },
    endpoint,
    readiness: {
      parts: {
        'ticket service': (signal) => gateway.backend.ready(signal),
        issuer: () => gateway.issuer.metadata().then(() => true),
      },
      draining,
    },
    now: () => performance.now(),
    onRequest: metrics.request,
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
}
