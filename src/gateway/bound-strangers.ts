// Bounds what an address may ask for without a token that holds: each such answer costs us more than it costs them.
import type { RequestHandler, Response } from 'express'
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import type { AddressOf } from './client-address.ts'
import { forgetOldKeys } from './limits/counters.ts'
import { refuseForNow } from './refuse.ts'

const overdue = new WeakMap<Response, number>()

/** Answers 429 where the address of a request without a valid token is over its bound; false where it is not. */
export function refuseStranger(res: Response): boolean {
  const seconds = overdue.get(res)
  if (seconds === undefined) return false
  refuseForNow(res, seconds, `Too many requests without a valid token. Wait ${seconds} seconds.`)
  return true
}

export interface StrangerBound {
  /** Every request pays, or is answered 429; a POST that brings a token is let through to have it checked. */
  readonly charge: RequestHandler
  /** A caller who turns out to be known gets it back. */
  readonly refund: RequestHandler
}

/** Counted in this process only: what has not been authenticated must not reach for a shared store. */
export function createStrangerBound(requestsPerMinute: number, addressOf: AddressOf): StrangerBound {
  const limiter = new RateLimiterMemory({ points: requestsPerMinute, duration: 60 })
  const touch = forgetOldKeys([limiter])
  return {
    async charge(req, res, next) {
      const address = addressOf(req)
      touch(address)
      try {
        await limiter.consume(address)
      } catch (over) {
        if (!(over instanceof RateLimiterRes)) throw over
        overdue.set(res, Math.max(1, Math.ceil(over.msBeforeNext / 1000)))
        // Others at the same address must not keep out a caller with a valid token: that is seen when it is checked.
        const maybeKnown = req.method === 'POST' && req.headers.authorization !== undefined
        if (!maybeKnown && refuseStranger(res)) return
      }
      next()
    },
    refund(req, _res, next) {
      void limiter.reward(addressOf(req))
      next()
    },
  }
}
