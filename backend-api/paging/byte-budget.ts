// How many rows fit a page that is bounded in bytes.

/** Bytes of a value as JSON in UTF-8. */
export function jsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value))
}

/** The longest start of `rows` whose JSON stays within `maxBytes`, commas counted; at least one row. */
export function takeBytes<Row>(rows: readonly Row[], maxBytes: number): readonly Row[] {
  let bytes = 0
  const fitting = rows.findIndex((row) => (bytes += jsonBytes(row) + 1) > maxBytes)
  return fitting === -1 ? rows : rows.slice(0, Math.max(1, fitting))
}
