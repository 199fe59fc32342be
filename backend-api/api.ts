// The REST interface: every operation of the contract behind the same steps. A missing or misspelt one does not compile.
import { middleware as validateAgainst } from 'express-openapi-validator'
import { Router } from 'express'
import type { RequestHandler } from 'express'
import type { VerifyAccessToken } from './access-token.ts'
import type { Contract, OperationId } from './contract.ts'
import { authenticate } from './http/authenticate.ts'
import { asDescribed, asSent } from './http/head.ts'
import { nameRoute } from './http/name-route.ts'
import { readBody } from './http/read-body.ts'
import { refuseBadText } from './http/refuse-bad-text.ts'
import { requireAcceptable } from './http/require-acceptable.ts'
import { requireScopes } from './http/require-scopes.ts'
import { sendFault } from './http/send-problem.ts'
import { commentOnTicketRoute, listCommentsRoute } from './routes/comments.ts'
import type { RouteDependencies } from './routes/dependencies.ts'
import { streamEventsRoute } from './routes/events.ts'
import { exportDeskRoute } from './routes/export.ts'
import { getContractRoute, getPolicyRoute, healthRoute, readinessRoute } from './routes/operations.ts'
import { listPeopleRoute } from './routes/people.ts'
import { createTicketRoute, getTicketRoute, listTicketsRoute } from './routes/tickets.ts'
import { assignTicketRoute, closeTicketRoute, reopenTicketRoute } from './routes/transitions.ts'

export interface ApiOptions {
  readonly contract: Contract
  readonly verifyAccessToken: VerifyAccessToken
  /** Checks the service's own answers too: a wrong one becomes a 500. */
  readonly validateResponses: boolean
}

/** Mount it at the contract's server path. */
export function createApi(dependencies: RouteDependencies, options: ApiOptions): Router {
  const { contract, verifyAccessToken, validateResponses } = options
  const routes: Record<OperationId, RequestHandler> = {
    listTickets: listTicketsRoute(dependencies),
    createTicket: createTicketRoute(dependencies),
    getTicket: getTicketRoute(dependencies),
    listComments: listCommentsRoute(dependencies),
    commentOnTicket: commentOnTicketRoute(dependencies),
    closeTicket: closeTicketRoute(dependencies),
    reopenTicket: reopenTicketRoute(dependencies),
    assignTicket: assignTicketRoute(dependencies),
    exportDesk: exportDeskRoute(dependencies),
    listPeople: listPeopleRoute(dependencies),
    streamEvents: streamEventsRoute(dependencies),
    getPolicy: getPolicyRoute(dependencies),
    health: healthRoute,
    readiness: readinessRoute(dependencies),
    getContract: getContractRoute(dependencies),
  }
  const identify = authenticate(verifyAccessToken, dependencies.log)
  // Tokens and scopes have their own steps above; the contract itself is linted where it is written.
  const validate = validateAgainst({
    apiSpec: contract.file,
    validateApiSpec: false,
    validateSecurity: false,
    fileUploader: false,
    validateResponses,
  })

  const router = Router()
  for (const { id, method, path, route, scopes, takesBody, offers } of contract.operations) {
    const permit = scopes === undefined ? [] : [identify, requireScopes(scopes)]
    router[method](
      path,
      nameRoute(route),
      ...permit,
      requireAcceptable(offers),
      readBody(takesBody),
      asDescribed,
      ...validate,
      asSent,
      refuseBadText,
      routes[id],
    )
  }
  for (const [path, { route, allow }] of methodsByPath(contract)) {
    router.all(path, nameRoute(route), (_request, response) => {
      sendFault(response, { kind: 'method_not_allowed', allow })
    })
  }
  return router
}

/** By Express's path: the template of it, and the value of Allow (RFC 9110 section 10.2.1). */
function methodsByPath({ operations }: Contract): Map<string, { route: string; allow: string }> {
  const paths = new Map<string, { route: string; allow: string }>()
  for (const { path, route, method } of operations) {
    const methods = method === 'get' ? 'GET, HEAD' : method.toUpperCase()
    const others = paths.get(path)?.allow
    paths.set(path, { route, allow: others === undefined ? methods : `${others}, ${methods}` })
  }
  return paths
}
