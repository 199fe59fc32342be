// The body of a POST to the endpoint: JSON, one message, bounded. Read once; everything after works on the parsed value.
import express, { type ErrorRequestHandler, type RequestHandler } from 'express'
import { refuse } from './refuse.ts'

/** The largest valid call is a ticket of 8,000 characters, at most 12 bytes each when escaped. */
const MAX_MESSAGE_BYTES = 256 * 1024

const JSON_TYPE = /^application\/json\s*(;|$)/i

/** Steps that leave one JSON-RPC message in `req.body`, or answer 400, 413 or 415. */
export function readMessage(): (RequestHandler | ErrorRequestHandler)[] {
  return [
    checkContentType,
    express.json({ limit: MAX_MESSAGE_BYTES, type: () => true, strict: false }),
    explainFault,
    checkShape,
    dropNullArguments,
  ]
}

const checkContentType: RequestHandler = (req, res, next) => {
  if (JSON_TYPE.test(req.headers['content-type'] ?? '')) next()
  else refuse(res, 415, 'The body must be JSON: send Content-Type: application/json.')
}

const explainFault: ErrorRequestHandler = (error: unknown, _req, res, next) => {
  const { status, type } = error as { status?: number; type?: string }
  if (status === 413) refuse(res, 413, `The body is larger than ${MAX_MESSAGE_BYTES} bytes. Send less.`)
  else if (status === 415)
    refuse(res, 415, 'The body must be UTF-8 JSON, plain or gzip, deflate or br encoded.')
  else if (type === 'entity.parse.failed') refuse(res, 400, 'Parse error: the body is not valid JSON.')
  else if (status !== undefined && status < 500) refuse(res, 400, 'Parse error: the body could not be read.')
  else next(error)
}

const checkShape: RequestHandler = (req, res, next) => {
  const body: unknown = req.body
  if (Array.isArray(body)) refuse(res, 400, 'Batches are not served: send one JSON-RPC message per request.')
  else if (body === null || typeof body !== 'object')
    refuse(res, 400, 'The body must be one JSON-RPC message, an object.')
  else next()
}

/** Some models send `arguments: null` for none; the SDK would refuse what `readArguments` takes for `{}`. */
const dropNullArguments: RequestHandler = (req, _res, next) => {
  const { params } = req.body as { params?: { arguments?: unknown } | null }
  if (params?.arguments === null) delete params.arguments
  next()
}
