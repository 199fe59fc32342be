// The gateway's layer of authorisation: a call without its scope is refused with a challenge before any tool runs.
import type { RequestHandler } from 'express'
import type { Caller } from '../backend/caller.ts'
import type { MessageContext } from '../tools/call-record.ts'
import type { Catalogue } from '../tools/catalogue.ts'
import { missingScopes, type RunnerPorts } from '../tools/run-tool.ts'
import { callerOf, sendChallenge } from './authenticate.ts'
import { calledTool } from './called-tool.ts'
import type { ProtectedResource } from './protected-resource.ts'
import { requestIdOf } from './request-id.ts'

/** What decides which client may call which tool. */
type MayUse = RunnerPorts['mayUse']

/** A call that was refused for want of a scope. */
export interface DeniedCall {
  readonly requestId: string
  readonly caller: Caller
  readonly tool: string
  readonly arguments: unknown
  readonly message: Pick<MessageContext, 'meta' | 'headers'>
}

/** Answers 403 `insufficient_scope` that names the scopes which the call needs; lets everything else pass. */
export function checkScope(
  catalogue: Catalogue,
  mayUse: MayUse,
  resource: ProtectedResource,
  onDenied: (call: DeniedCall) => void,
): RequestHandler {
  return (req, res, next) => {
    const call = calledTool(req.body)
    const entry = call && catalogue.get(call.name)
    const caller = callerOf(res)
    if (!call || !entry) {
      next()
      return
    }
    // A client that may not use the tool at all is told so by the runner: a wider scope would not help it.
    const missing = mayUse(caller.clientId, entry.tool.name) ? missingScopes(entry, caller) : []
    if (missing.length === 0) {
      next()
      return
    }
    const scope = missing.join(' ')
    onDenied({
      requestId: requestIdOf(res),
      caller,
      tool: call.name,
      arguments: call.arguments,
      message: { meta: call.meta, headers: req.headers },
    })
    sendChallenge(res, 403, resource.metadataUrl(req), {
      error: 'insufficient_scope',
      description: `This call needs the scope ${scope}: sign in again and ask for it.`,
      scope,
    })
  }
}
