// What was refused at HTTP level, for the log: tool calls that get further have their own line.
import type { RequestHandler } from 'express'
import type { Catalogue } from '../tools/catalogue.ts'
import { knownCaller } from './authenticate.ts'
import { calledTool } from './called-tool.ts'
import { requestIdOf } from './request-id.ts'

const MAX_PATH_CHARACTERS = 100

export interface HttpRefusal {
  readonly requestId: string
  readonly method: string
  /** Without the query, in which a careless client may have put a token. */
  readonly path: string
  readonly status: number
  /** The challenge that went out, if one did; it names the fault and nothing of the token. */
  readonly challenge: string | undefined
  /** Who asked, where that was known already. */
  readonly client: string | undefined
  readonly user: string | undefined
  /** Full name of the tool that was called, where the message was read and there is such a tool. */
  readonly tool: string | undefined
}

/** Tells of every answer with a status of 400 and more. */
export function reportRefusals(
  { get }: Pick<Catalogue, 'get'>,
  onRefusal: (refusal: HttpRefusal) => void,
): RequestHandler {
  return (req, res, next) => {
    res.once('finish', () => {
      if (res.statusCode < 400) return
      onRefusal({
        requestId: requestIdOf(res),
        method: req.method,
        path: req.path.slice(0, MAX_PATH_CHARACTERS),
        status: res.statusCode,
        challenge: res.getHeader('WWW-Authenticate')?.toString(),
        client: knownCaller(res)?.clientId,
        user: knownCaller(res)?.subject,
        tool: get(calledTool(req.body)?.name ?? '')?.wire.name,
      })
    })
    next()
  }
}
