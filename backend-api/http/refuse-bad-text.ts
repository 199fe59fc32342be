import type { RequestHandler } from 'express'
import { sendFault } from './send-problem.ts'

// U+0000 and halves of surrogate pairs: databases disagree about them, so they stop at the edge.
const BAD_TEXT = /\0|\p{Surrogate}/u

/** Refuses text that cannot be stored everywhere, and names the field that has it. */
export const refuseBadText: RequestHandler = (request, response, next) => {
  const at = badTextIn(request.query, []) ?? badTextIn(request.body, [])
  if (at === undefined) {
    next()
    return
  }
  const field = at.filter((step) => !BAD_TEXT.test(step)).join('.')
  const detail = `${field || 'request'}: must not contain U+0000 or half of a surrogate pair. Remove it.`
  sendFault(response, { kind: 'invalid_request', detail, ...(field === '' ? {} : { field }) })
}

function badTextIn(value: unknown, path: readonly string[]): readonly string[] | undefined {
  if (typeof value === 'string') return BAD_TEXT.test(value) ? path : undefined
  if (typeof value !== 'object' || value === null) return undefined
  for (const [key, member] of Object.entries(value)) {
    const at = BAD_TEXT.test(key) ? path : badTextIn(member, [...path, key])
    if (at !== undefined) return at
  }
  return undefined
}
