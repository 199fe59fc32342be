import type { RequestHandler } from 'express'
import { sendFault } from './send-problem.ts'

// U+0000 and halves of surrogate pairs: databases disagree about them, so they stop at the edge.
const BAD_TEXT = /\0|\p{Surrogate}/u

/** Refuses text that cannot be stored everywhere, and names the field. Behind the validator, so nothing is nested deep. */
export const refuseBadText: RequestHandler = (request, response, next) => {
  const field = badTextIn(request.query) ?? badTextIn(request.body)
  if (field === undefined) {
    next()
    return
  }
  const detail = `${field}: must not contain U+0000 or half of a surrogate pair. Remove it.`
  sendFault(response, { kind: 'invalid_request', detail, field })
}

function badTextIn(fields: unknown): string | undefined {
  for (const [name, value] of Object.entries(fields ?? {})) {
    if (typeof value === 'string' && BAD_TEXT.test(value)) return name
    if (!Array.isArray(value)) continue
    const at = value.findIndex((item) => typeof item === 'string' && BAD_TEXT.test(item))
    if (at !== -1) return `${name}.${at}`
  }
  return undefined
}
