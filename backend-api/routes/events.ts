import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { RequestHandler, Response } from 'express'
import type { Event } from '../../openapi/desk.gen.ts'
import { callerOf } from '../http/locals.ts'
import { sendFault, sendRefusal } from '../http/send-problem.ts'
import { permitStaff } from '../rules/permit.ts'
import type { Store } from '../store/store.ts'
import type { RouteDependencies } from './dependencies.ts'

const MAX_STREAMS = 100
const EVENTS_PER_READ = 100
const RETRY_AFTER_SECONDS = 30
const MAX_TIMER_MS = 2 ** 31 - 1

/** Server-sent events (HTML standard section 9.2) out of the committed events: none lost, none repeated, in order. */
export function streamEventsRoute(dependencies: RouteDependencies): RequestHandler {
  const { store, stopping, clock, quietStreamMs, metrics } = dependencies
  let openStreams = 0
  const countStreams = (change: 1 | -1) => {
    openStreams += change
    metrics.openEventStreams(openStreams)
  }

  return async (request, response) => {
    const permitted = permitStaff('follow the events', callerOf(response))
    if (!permitted.ok) {
      sendRefusal(response, permitted.refusal)
      return
    }
    if (openStreams >= MAX_STREAMS) {
      const detail = `All ${MAX_STREAMS} event streams are in use. Try again later.`
      sendFault(response, { kind: 'unavailable', detail, retryAfterSeconds: RETRY_AFTER_SECONDS })
      return
    }
    countStreams(1)
    try {
      const newest = await store.lastEventId()
      const after = request.get('Last-Event-ID') ?? newest
      if (BigInt(after) > BigInt(newest)) {
        const detail = `last_event_id: there is no such event yet; the newest is ${newest}. Send an id that you were given, or none.`
        sendFault(response, { kind: 'invalid_request', field: 'last_event_id', detail })
        return
      }
      // Not by Express, which would add a charset.
      response.setHeader('Content-Type', 'text/event-stream')
      response.setHeader('X-Accel-Buffering', 'no')
      if (request.method === 'HEAD') {
        response.end()
        return
      }
      const tokenMs = (response.locals.tokenExpiresAt ?? 0) * 1000 - clock().getTime()
      const expired = AbortSignal.timeout(Math.min(Math.max(tokenMs, 0), MAX_TIMER_MS))
      await follow(
        store,
        response,
        after,
        AbortSignal.any([stopping, expired, closeOf(response)]),
        quietStreamMs,
      )
    } finally {
      countStreams(-1)
    }
  }
}

async function follow(store: Store, response: Response, start: string, ended: AbortSignal, quietMs: number) {
  response.flushHeaders()
  response.write(': open\n\n')
  let rest = new AbortController()
  const unsubscribe = store.onCommit(() => {
    rest.abort()
  })
  let after = start
  try {
    while (!ended.aborted) {
      // Before the read: a commit during it must wake the rest that follows.
      rest = new AbortController()
      const events = await store.listEvents(after, EVENTS_PER_READ)
      after = events.at(-1)?.id ?? after
      const text = events.map(asServerSentEvent).join('')
      if (text !== '') await send(response, text, ended)
      else if (await quietFor(quietMs, AbortSignal.any([ended, rest.signal])))
        await send(response, ':\n\n', ended)
    }
  } finally {
    unsubscribe()
    response.end()
  }
}

function asServerSentEvent(event: Event): string {
  return `id: ${event.id}\ndata: ${JSON.stringify(event)}\n\n`
}

async function send(response: Response, text: string, ended: AbortSignal): Promise<void> {
  if (!response.write(text)) await once(response, 'drain', { signal: ended }).catch(() => undefined)
}

async function quietFor(ms: number, signal: AbortSignal): Promise<boolean> {
  return await sleep(ms, true, { signal }).catch(() => false)
}

function closeOf(response: Response): AbortSignal {
  const closed = new AbortController()
  response.once('close', () => {
    closed.abort()
  })
  if (response.destroyed) closed.abort()
  return closed.signal
}
