// What the admin port serves: the metrics, to whoever may reach that port, and nothing else.
import type { RequestListener } from 'node:http'
import type { OpenMetricsRegistry } from './closed-labels.ts'

export function createAdminHandler(
  registry: OpenMetricsRegistry,
  onFault: (error: unknown) => void,
): RequestListener {
  let reading: Promise<string> | undefined
  // One connection may ask hundreds of times before it is answered once.
  const read = () =>
    (reading ??= registry.metrics().finally(() => {
      reading = undefined
    }))
  return (request, response) => {
    const path = (request.url ?? '').split('?', 1)[0]
    if (path !== '/metrics') {
      response.writeHead(404).end('Only /metrics is served here.\n')
      return
    }
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.writeHead(405, { Allow: 'GET, HEAD' }).end('This path takes GET and HEAD.\n')
      return
    }
    read().then(
      (text) => {
        response.writeHead(200, { 'Content-Type': registry.contentType, 'Cache-Control': 'no-store' })
        response.end(text)
      },
      (error: unknown) => {
        onFault(error)
        response.writeHead(500).end('The metrics cannot be read; the log of the service says why.\n')
      },
    )
  }
}
