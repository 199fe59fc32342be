// The gateway as an HTTP server that is not listening yet, and how it stops.
import { createServer, type Server } from 'node:http'
import type { Logger } from 'pino'
import { compose, type Gateway } from './compose.ts'
import type { Config } from './config.ts'
import { createApp } from './gateway/app.ts'
import { drain } from './gateway/drain.ts'
import { createMcpEndpoint } from './gateway/mcp-endpoint.ts'
import type { RequestContext } from './gateway/mcp-server.ts'

/** Longer than the idle time of the usual balancers (60 s), so that it is they who close. */
const KEEP_ALIVE_TIMEOUT_MS = 65_000

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
    verify: gateway.verify,
    endpoint,
    readiness: {
      parts: {
        'ticket service': (signal) => gateway.backend.ready(signal),
        issuer: () => gateway.issuer.metadata().then(() => true),
      },
      draining: () => draining,
    },
    onIssuerFault: (cause, request_id) => {
      log.error({ request_id, cause }, 'the issuer is out of reach')
    },
    onBug: (error, request_id) => {
      log.error({ request_id, err: error }, 'a request failed in the gateway')
    },
  })
  const server = createServer(app)
  server.keepAliveTimeout = KEEP_ALIVE_TIMEOUT_MS
  return {
    ...gateway,
    server,
    async stop() {
      draining = true
      // Together: streams hold the server open, and the bound on draining also ends calls that do not end by themselves.
      await Promise.all([endpoint.close(), drain(server)])
      await gateway.close()
    },
  }
}
