// How long each HTTP request takes, under a route that stands for all spellings of a path.
import type { RequestHandler } from 'express'
import { isStream } from './mcp-endpoint.ts'

/** As nginx has it: the client left before there was an answer. */
const CLIENT_LEFT = 499

export interface MeasuredRequest {
  readonly method: string
  readonly route: string
  readonly status: number
  /** To the last byte of the answer. */
  readonly seconds: number
}

export interface MeasureRequestsPorts {
  /** Path to route; every other path is `other`. */
  readonly routes: ReadonlyMap<string, string>
  /** Milliseconds of a clock that never goes back. */
  readonly now: () => number
  readonly onRequest: (request: MeasuredRequest) => void
}

/** Tells of every request when it has ended, but of event streams, which last as long as their client likes. */
export function measureRequests({ routes, now, onRequest }: MeasureRequestsPorts): RequestHandler {
  const known = new Map([...routes].map(([path, route]) => [canonical(path), route]))
  return (req, res, next) => {
    const startedAt = now()
    const route = known.get(canonical(req.path)) ?? 'other'
    res.once('close', () => {
      if (isStream(res)) return
      const status = res.writableFinished ? res.statusCode : CLIENT_LEFT
      onRequest({ method: req.method, route, status, seconds: (now() - startedAt) / 1000 })
    })
    next()
  }
}

/** Express takes paths in any case, with and without a slash at the end. */
function canonical(path: string): string {
  return path.toLowerCase().replace(/\/$/, '')
}
