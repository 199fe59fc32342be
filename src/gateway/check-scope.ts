// The gateway's layer of authorisation: a call without its scope is refused with a challenge before any tool runs.
import type { RequestHandler } from 'express'
import type { Catalogue } from '../tools/catalogue.ts'
import { missingScopes } from '../tools/run-tool.ts'
import { callerOf, sendChallenge } from './authenticate.ts'
import type { ProtectedResource } from './protected-resource.ts'

/** Answers 403 `insufficient_scope` that names the scopes which the call needs; lets everything else pass. */
export function checkScope(catalogue: Catalogue, resource: ProtectedResource): RequestHandler {
  return (req, res, next) => {
    const entry = calledTool(catalogue, req.body)
    const missing = entry ? missingScopes(entry, callerOf(res)) : []
    if (missing.length === 0) {
      next()
      return
    }
    const scope = missing.join(' ')
    sendChallenge(res, 403, resource.metadataUrl(req), {
      error: 'insufficient_scope',
      description: `This call needs the scope ${scope}: sign in again and ask for it.`,
      scope,
    })
  }
}

function calledTool(catalogue: Catalogue, body: unknown) {
  const { method, params } = body as { method?: unknown; params?: { name?: unknown } | null }
  const name = method === 'tools/call' ? params?.name : undefined
  return typeof name === 'string' ? catalogue.get(name) : undefined
}
