// Bounds what an address may ask for without a token that holds: each such answer costs us more than it costs them.
import type { RequestHandler, Response } from 'express'
import { LRUCache } from 'lru-cache'
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import type { AddressOf } from './client-address.ts'
import { networkOf } from './network-of.ts'
import { refuseForNow } from './refuse.ts'

/** The library keeps every key for a minute; whoever has a network full of addresses could fill the memory with them. */
const MAX_NETWORKS = 20_000

const refusals = new WeakMap<Response, () => void>()

/** Answers 429 where the network of a request without a valid token is over its bound; false where it is not. */
export function refuseStranger(res: Response): boolean {
  const refuse = refusals.get(res)
  refuse?.()
  return refuse !== undefined
}

export interface StrangerBound {
  /** Every request pays, or is answered 429; a POST that brings a token is let through to have it checked. */
  readonly charge: RequestHandler
  /** A caller who turns out to be known gets it back. */
  readonly refund: RequestHandler
}

/**
 * Counted in this process only: what has not been authenticated must not reach for a shared store. `onRefused` is told
 * of each request that was answered 429.
 */
export function createStrangerBound(
  requestsPerMinute: number,
  addressOf: AddressOf,
  onRefused: () => void = () => undefined,
): StrangerBound {
  const limiter = new RateLimiterMemory({ points: requestsPerMinute, duration: 60 })
  const recent = new LRUCache<string, true>({
    max: MAX_NETWORKS,
    dispose: (_value, network) => void limiter.delete(network),
  })
  return {
    async charge(req, res, next) {
      const network = networkOf(addressOf(req))
      if (recent.get(network) === undefined) recent.set(network, true)
      try {
        await limiter.consume(network)
      } catch (over) {
        if (!(over instanceof RateLimiterRes)) throw over
        const seconds = Math.max(1, Math.ceil(over.msBeforeNext / 1000))
        refusals.set(res, () => {
          onRefused()
          refuseForNow(res, seconds, `Too many requests without a valid token. Wait ${seconds} seconds.`)
        })
        // Others at the same address must not keep out a caller with a valid token: that is seen when it is checked.
        const maybeKnown = req.method === 'POST' && req.headers.authorization !== undefined
        if (!maybeKnown && refuseStranger(res)) return
      }
      next()
    },
    refund(req, _res, next) {
      void limiter.reward(networkOf(addressOf(req)))
      next()
    },
  }
}
