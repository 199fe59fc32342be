// One id per request, the same in the answer, the log, the tool result and the call to the service.
import { randomUUID } from 'node:crypto'
import type { RequestHandler, Response } from 'express'

const HEADER = 'X-Request-Id'
const WELL_FORMED = /^[A-Za-z0-9._-]{8,64}$/

/** Takes a well-formed id from the request, else mints one; answers carry it. */
export const requestId: RequestHandler = (req, res, next) => {
  const given = req.get(HEADER)
  res.setHeader(HEADER, given !== undefined && WELL_FORMED.test(given) ? given : randomUUID())
  next()
}

export function requestIdOf(res: Response): string {
  return String(res.getHeader(HEADER))
}
