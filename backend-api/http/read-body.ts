import type { IncomingMessage } from 'node:http'
import express from 'express'
import type { RequestHandler } from 'express'
import { sendFault } from './send-problem.ts'

export const MAX_BODY_BYTES = 262_144

const parseJson: RequestHandler = express.json({
  limit: MAX_BODY_BYTES,
  type: 'application/json',
  inflate: false,
})

/** JSON bodies only, bounded; a request without a body passes. */
export function readBody(takesBody: boolean): RequestHandler {
  return takesBody ? readJson : passOver
}

const readJson: RequestHandler = (request, response, next) => {
  const { headers } = request
  const empty = headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0
  if (!empty && request.is('application/json') === false) {
    sendFault(response, { kind: 'unsupported_media_type' })
    return
  }
  parseJson(request, response, (error?: unknown) => {
    normalizeType(request)
    next(error)
  })
}

/** What the contract does not describe nobody has checked, so it does not come in. */
const passOver: RequestHandler = (request, _response, next) => {
  normalizeType(request)
  next()
}

// The validator keeps one compiled schema per spelling of the media type; with this there is one spelling.
function normalizeType({ headers }: IncomingMessage): void {
  headers['content-type'] = 'application/json'
}
