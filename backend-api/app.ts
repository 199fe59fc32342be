// The ticket service as an Express app: the steps of a request, in order. Knows no process, no port, no environment.
import type { RequestListener } from 'node:http'
import express from 'express'
import type { RequestHandler } from 'express'
import { createApi } from './api.ts'
import type { ApiOptions } from './api.ts'
import { allowOrigins } from './http/allow-origins.ts'
import { answerErrors } from './http/answer-errors.ts'
import { closeWhenStopping } from './http/close-when-stopping.ts'
import { nameRoute } from './http/name-route.ts'
import { logRequest, recordRequests } from './http/record-requests.ts'
import { assignRequestId } from './http/request-id.ts'
import { sendFault } from './http/send-problem.ts'
import { assignTraceId } from './http/trace-id.ts'
import { identityRouteOf } from './identity/route-of.ts'
import type { RouteDependencies } from './routes/dependencies.ts'
import { healthRoute, readinessRoute } from './routes/operations.ts'
import type { ObserveRequest } from './telemetry/http-metrics.ts'
import { timeTransactions } from './telemetry/time-transactions.ts'

export interface AppDependencies extends Omit<RouteDependencies, 'contractJson'>, ApiOptions {
  readonly allowedOrigins: readonly string[]
  readonly mintId: () => string
  readonly monotonicMs: () => number
  readonly observeRequest: ObserveRequest
  /** Left out where nobody receives traces. */
  readonly traceRequests?: RequestHandler | undefined
  /** The embedded authorization server, where there is one. */
  readonly identity: { readonly issuer: string; readonly handler: RequestListener } | undefined
}

export function createApp(dependencies: AppDependencies): express.Express {
  const { log, stopping, allowedOrigins, mintId, monotonicMs, contract, identity } = dependencies
  const { metrics, observeRequest, traceRequests } = dependencies
  const store = timeTransactions(dependencies.store, metrics, monotonicMs)
  const routes: RouteDependencies = { ...dependencies, store, contractJson: contract.json }

  const app = express()
  app.disable('x-powered-by')
  app.disable('etag')
  app.set('query parser', 'simple')

  app.use(assignRequestId(mintId))
  app.use(assignTraceId)
  if (traceRequests) app.use(traceRequests)
  app.use(
    recordRequests(monotonicMs, (record) => {
      logRequest(log, record)
      observeRequest(record)
      if (record.problemCode !== undefined) metrics.refused(record.problemCode)
    }),
  )
  app.use(closeWhenStopping(stopping))
  // Before the desk's own origins: any web page may be an OAuth client, and the server knows which.
  if (identity) mountIdentity(app, identity)
  app.use(allowOrigins(allowedOrigins))
  app.get('/healthz', nameRoute('/healthz'), healthRoute)
  app.get('/readyz', nameRoute('/readyz'), readinessRoute(routes))
  app.use('/v1', createApi(routes, dependencies))
  app.use((_request, response) => {
    sendFault(response, { kind: 'no_such_route' })
  })
  app.use(answerErrors(log))
  return app
}

/** At the issuer's path, and where RFC 8414 section 3.1 puts the metadata of an issuer with a path. */
function mountIdentity(app: express.Express, identity: NonNullable<AppDependencies['identity']>): void {
  const path = new URL(identity.issuer).pathname
  app.use(path, (request, response) => {
    const route = identityRouteOf(request.path)
    if (route !== undefined) response.locals.route = path + route
    identity.handler(request, response)
  })
  const metadata = ['oauth-authorization-server', 'openid-configuration'].map(
    (name) => `/.well-known/${name}${path}`,
  )
  app.use(metadata, nameRoute(`${path}/.well-known/{document}`), (request, response) => {
    identity.handler(request, response)
  })
}
