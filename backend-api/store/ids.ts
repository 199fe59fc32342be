// Public ids ("T-42", "C-7", event "9") are a prefix and the digits of a 64-bit integer, which no JavaScript number holds.

const LARGEST_ID = 9_223_372_036_854_775_807n

/** The integer of an id whose form the contract has checked; undefined when no row can have it. */
export function rowId(id: string): bigint | undefined {
  const digits = id.replace(/^[TC]-/, '')
  if (!/^(0|[1-9][0-9]{0,18})$/.test(digits)) return undefined
  const value = BigInt(digits)
  return value > LARGEST_ID ? undefined : value
}
