// Repeatable random numbers: the same seed gives the same sequence everywhere.

/** A number from 0 (included) to 1 (excluded). */
export type Random = () => number

/** mulberry32: 32 bits of state, good enough to vary test data, never for secrets. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** One of the items, each equally likely; throws when there is none. */
export function pick<Item>(random: Random, items: readonly Item[]): Item {
  const item = items[Math.floor(random() * items.length)]
  if (item === undefined) throw new RangeError('There is nothing to pick from.')
  return item
}
