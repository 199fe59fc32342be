// The gateway's layer of authorisation: a call without its scope is refused with a challenge before any tool runs.
import type { RequestHandler } from 'express'
import type { Catalogue } from '../tools/catalogue.ts'
import { missingScopes, type RunnerPorts } from '../tools/run-tool.ts'
import { callerOf, sendChallenge } from './authenticate.ts'
import { calledTool } from './called-tool.ts'
import type { ProtectedResource } from './protected-resource.ts'

/** What decides which client may call which tool. */
type MayUse = RunnerPorts['mayUse']

/** Answers 403 `insufficient_scope` that names the scopes which the call needs; lets everything else pass. */
export function checkScope(
  catalogue: Catalogue,
  mayUse: MayUse,
  resource: ProtectedResource,
): RequestHandler {
  return (req, res, next) => {
    const name = calledTool(req.body)
    const entry = name === undefined ? undefined : catalogue.get(name)
    const caller = callerOf(res)
    // A client that may not use the tool at all is told so by the runner: a wider scope would not help it.
    const missing = entry && mayUse(caller.clientId, entry.tool.name) ? missingScopes(entry, caller) : []
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
