// One record per request when it is over. An allow-list of facts: no token, no query and no ticket text gets in.
import type { RequestHandler, Response } from 'express'
import type { Logger } from 'pino'
import type { Problem } from '../../openapi/desk.gen.ts'

/** The client left before it was answered; no standard status says that, and this is the customary one. */
const CLIENT_LEFT = 499

export interface RequestRecord {
  readonly method: string
  /** The template, e.g. `/v1/tickets/{id}`; undefined where nothing is served. */
  readonly route: string | undefined
  readonly status: number
  /** False where the client left before it had everything. */
  readonly finished: boolean
  readonly seconds: number
  /** Sent on the wire for this answer, headers included. */
  readonly bytes: number
  readonly requestId: string
  readonly traceId: string | undefined
  readonly ticketId: string | undefined
  readonly problemCode: Problem['code'] | undefined
  readonly callerId: string | undefined
  readonly clientId: string | undefined
}

export function recordRequests(
  monotonicMs: () => number,
  onRequest: (record: RequestRecord) => void,
): RequestHandler {
  return ({ method, socket }, response, next) => {
    const startedAt = monotonicMs()
    const bytesBefore = socket.bytesWritten
    response.once('close', () => {
      onRequest({
        method,
        ...factsOf(response),
        seconds: (monotonicMs() - startedAt) / 1000,
        bytes: socket.bytesWritten - bytesBefore,
      })
    })
    next()
  }
}

function factsOf(response: Response) {
  const { requestId, traceId, route, ticketId, problemCode, caller } = response.locals
  return {
    route,
    status: response.headersSent ? response.statusCode : CLIENT_LEFT,
    finished: response.writableFinished,
    requestId,
    traceId,
    ticketId,
    problemCode,
    callerId: caller?.id,
    clientId: caller?.clientId,
  }
}

/** As one line of the log. */
export function logRequest(log: Logger, record: RequestRecord): void {
  log.info(
    {
      method: record.method,
      route: record.route ?? null,
      status: record.status,
      code: record.problemCode,
      ticket: record.ticketId,
      finished: record.finished,
      ms: Math.round(record.seconds * 1e6) / 1e3,
      bytes: record.bytes,
      request_id: record.requestId,
      trace_id: record.traceId,
      user: record.callerId,
      client: record.clientId,
    },
    'request',
  )
}
