// The operator's port as a server that is not listening yet. It serves metrics and nothing else.
import { createServer, type Server } from 'node:http'
import type { MetricsRegistry } from './telemetry/instruments.ts'

const SERVER_OPTIONS = {
  headersTimeout: 2_000,
  requestTimeout: 2_000,
  connectionsCheckingInterval: 500,
  maxHeaderSize: 16 * 1024,
}
/** A few scrapers and a person; each scrape costs milliseconds that calls have to wait. */
const MAX_CONNECTIONS = 16

/** `onFault` is told of what kept the metrics from being read. */
export function createAdminServer(registry: MetricsRegistry, onFault: (error: unknown) => void): Server {
  let reading: Promise<string> | undefined
  // One connection may ask hundreds of times before it is answered once.
  const read = () =>
    (reading ??= registry.metrics().finally(() => {
      reading = undefined
    }))
  const server = createServer(SERVER_OPTIONS, (req, res) => {
    if (req.url?.replace(/\?.*/s, '') !== '/metrics') {
      res.writeHead(404).end('There is nothing here but /metrics.\n')
      return
    }
    if (req.method !== 'GET' && req.method !== 'HEAD') {
      res.writeHead(405, { Allow: 'GET, HEAD' }).end('Metrics can be read only: use GET.\n')
      return
    }
    read().then(
      (text) => {
        res.writeHead(200, { 'Content-Type': registry.contentType, 'Cache-Control': 'no-store' }).end(text)
      },
      (error: unknown) => {
        onFault(error)
        res.writeHead(500).end('The metrics cannot be read; the log of the gateway says why.\n')
      },
    )
  })
  server.maxConnections = MAX_CONNECTIONS
  return server
}
