// The gateway's HTTP surface as one visible list. The factory is handed everything; it reads no environment.
import express, { type ErrorRequestHandler, type Express, type RequestHandler } from 'express'
import type { Catalogue } from '../tools/catalogue.ts'
import { authenticate } from './authenticate.ts'
import { billCall, type BillCallPorts } from './bill-call.ts'
import type { StrangerBound } from './bound-strangers.ts'
import { checkScope, type DeniedCall } from './check-scope.ts'
import { healthz, readyz, type ReadinessChecks } from './health.ts'
import { checkHost, checkOrigin } from './host-and-origin.ts'
import type { McpEndpoint } from './mcp-endpoint.ts'
import { measureRequests, type MeasureRequestsPorts } from './measure-requests.ts'
import { createProtectedResource } from './protected-resource.ts'
import { readMessage } from './read-message.ts'
import { refuse } from './refuse.ts'
import { reportRefusals, type HttpRefusal } from './report-refusals.ts'
import { requestId, requestIdOf } from './request-id.ts'
import type { VerifyToken } from './verify-token.ts'

export interface AppPorts {
  readonly publicUrls: readonly URL[]
  readonly issuer: string
  readonly allowedHosts: readonly string[]
  readonly allowedOrigins: readonly string[]
  readonly catalogue: Catalogue
  readonly mayUse: (clientId: string, tool: string) => boolean
  readonly strangers: StrangerBound
  readonly verify: VerifyToken
  readonly takePermit: BillCallPorts['takePermit']
  readonly onCeiling: BillCallPorts['onCeiling']
  readonly onDenied: (call: DeniedCall) => void
  readonly endpoint: McpEndpoint
  readonly readiness: ReadinessChecks
  /** Milliseconds of a clock that never goes back. */
  readonly now: () => number
  readonly onRequest: MeasureRequestsPorts['onRequest']
  readonly onRefusal: (refusal: HttpRefusal) => void
  readonly onIssuerFault: (cause: string, requestId: string) => void
  /** Told of exceptions, which are always faults of ours. */
  readonly onBug: (error: unknown, requestId: string) => void
}

export function createApp(ports: AppPorts): Express {
  const { catalogue, strangers, verify, takePermit, onCeiling, endpoint, onIssuerFault, publicUrls } = ports
  const resource = createProtectedResource(publicUrls, ports.issuer)
  const path = publicUrls[0]?.pathname ?? '/mcp'
  const routes = new Map([
    [path, '/mcp'],
    ['/healthz', '/healthz'],
    ['/readyz', '/readyz'],
    ...resource.paths.map((of) => [of, '/.well-known/oauth-protected-resource'] as const),
  ])

  const app = express()
  app.disable('x-powered-by')
  app.disable('etag')
  app.use(measureRequests({ routes, now: ports.now, onRequest: ports.onRequest }))
  app.use(requestId)
  app.use(reportRefusals(catalogue, ports.onRefusal))
  app.get('/healthz', healthz)
  app.get('/readyz', strangers.charge, readyz(ports.readiness))
  app.use(checkHost(ports.allowedHosts))
  app.use(checkOrigin(ports.allowedOrigins))
  app.use(strangers.charge)
  app.get([...resource.paths], resource.serve)
  app
    .route(path)
    .post(
      authenticate({ verify, resource, onIssuerFault }),
      strangers.refund,
      ...readMessage(),
      billCall({ catalogue, takePermit, onCeiling }),
      checkScope(catalogue, ports.mayUse, resource, ports.onDenied),
      endpoint.handle,
    )
    .all(onlyPost)
  app.use(notFound(path))
  app.use(internalError(ports.onBug))
  return app
}

const onlyPost: RequestHandler = (_req, res) => {
  res.setHeader('Allow', 'POST')
  refuse(res, 405, 'This endpoint takes POST only: it keeps no session and has no stream to resume.')
}

function notFound(path: string): RequestHandler {
  return (_req, res) => {
    refuse(res, 404, `There is nothing here. The MCP endpoint is ${path}.`)
  }
}

function internalError(onBug: AppPorts['onBug']): ErrorRequestHandler {
  return (error: unknown, _req, res, next) => {
    onBug(error, requestIdOf(res))
    // What has been begun must not look complete, and nothing else may answer.
    if (res.headersSent) {
      res.destroy()
      next('router')
    } else
      refuse(
        res,
        500,
        `The gateway failed on this request. Report it with the request id ${requestIdOf(res)}.`,
      )
  }
}
