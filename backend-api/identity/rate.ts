// Counts what somebody may do only so often, in windows that do not slide. Bounded memory: who was seen last is kept.

import { LRUCache } from 'lru-cache'

const KEYS_MAX = 10_000

export interface RateOptions {
  readonly max: number
  readonly window_ms: number
  /** The time in milliseconds. */
  readonly now: () => number
}

export interface Rate {
  /** Milliseconds to wait until `key` may go on; 0 when it may now. */
  waitOf(key: string): number
  add(key: string): void
  /** Takes back one `add`. */
  takeBack(key: string): void
  /** Starts again from nothing. */
  forget(key: string): void
}

export function createRate({ max, window_ms, now }: RateOptions): Rate {
  const windows = new LRUCache<string, { count: number; readonly endsAt: number }>({ max: KEYS_MAX })
  const current = (key: string) => {
    const window = windows.get(key)
    return window && window.endsAt > now() ? window : undefined
  }
  return {
    waitOf(key) {
      const window = current(key)
      return window && window.count >= max ? window.endsAt - now() : 0
    },
    add(key) {
      const window = current(key)
      if (window) window.count += 1
      else windows.set(key, { count: 1, endsAt: now() + window_ms })
    },
    takeBack(key) {
      const window = current(key)
      if (window) window.count -= 1
    },
    forget: (key) => void windows.delete(key),
  }
}
