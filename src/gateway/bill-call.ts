// Bills tool calls before they run, and answers 429 past the ceiling. Everything that is not a tool call is free.
import type { RequestHandler, Response } from 'express'
import type { Permit, TakePermit } from '../tools/admission.ts'
import type { Catalogue } from '../tools/catalogue.ts'
import { callerOf } from './authenticate.ts'
import { calledTool } from './called-tool.ts'
import { refuseForNow } from './refuse.ts'

const WINDOW_S = 60

export interface BillCallPorts {
  readonly catalogue: Catalogue
  readonly takePermit: TakePermit
  /** Told of each call that was refused here, by the tool's full name or `other`, and of its client. */
  readonly onCeiling: (tool: string, clientId: string) => void
}

/** Leaves the permit of a tool call for the runner (`permitOf`), or answers 429. */
export function billCall({ catalogue, takePermit, onCeiling }: BillCallPorts): RequestHandler {
  return async (req, res, next) => {
    const name = calledTool(req.body)?.name
    if (name === undefined) {
      next()
      return
    }
    const entry = catalogue.get(name)
    const caller = callerOf(res)
    const permit = await takePermit(entry?.budget ?? 'reads', caller)
    if (permit.kind !== 'over_ceiling') {
      permits.set(res, permit)
      next()
      return
    }
    const { retryAfterS, budget, limitPerMinute } = permit
    onCeiling(entry ? name : 'other', caller.clientId)
    // draft-ietf-httpapi-ratelimit-headers: what may be used, and what is left of it.
    res.setHeader('RateLimit-Policy', `"${budget}";q=${limitPerMinute};w=${WINDOW_S}`)
    res.setHeader('RateLimit', `"${budget}";r=0;t=${retryAfterS}`)
    const message = `Far more ${budget} than the ${limitPerMinute} a minute that are allowed. Stop calling for ${retryAfterS} seconds.`
    refuseForNow(res, retryAfterS, message, (req.body as { id?: unknown }).id)
  }
}

const permits = new WeakMap<Response, Permit>()

/** The permit of a tool call that has been billed. */
export function permitOf(res: Response): Permit | undefined {
  return permits.get(res)
}
