// Characters that a person cannot see and a model can read: a way to hide instructions in a ticket. They are removed
// from everything that reaches a model. What writing needs stays: a single joiner, direction mark or variation selector.

const TAGS = String.raw`\u{E0000}-\u{E007F}`
const BIDI_OVERRIDES = String.raw`\u202A-\u202E\u2066-\u2069`
/** C0 and C1 controls other than newline and tab. */
const CONTROLS = String.raw`\u0000-\u0008\u000B-\u001F\u007F-\u009F`
const NEVER_NEEDED = new RegExp(`[${TAGS}${BIDI_OVERRIDES}${CONTROLS}]+`, 'gu')

/** Two or more ignorable characters in a row, other than the pair that joins emoji. */
const RUN = /(?!\uFE0F\u200D(?!\p{DI}))\p{DI}{2,}/gu

/** The text without its invisible characters, and how many (code points) were removed. */
export function removeInvisible(text: string): { readonly text: string; readonly removed: number } {
  let removed = 0
  const remove = (run: string) => {
    removed += Array.from(run).length
    return ''
  }
  // In this order: what is never needed may stand between the characters of a run.
  return { text: text.replace(NEVER_NEEDED, remove).replace(RUN, remove), removed }
}

/** The same for every string inside a JSON value. */
export function removeInvisibleDeep(value: unknown): { readonly value: unknown; readonly removed: number } {
  let removed = 0
  const walk = (node: unknown): unknown => {
    if (typeof node === 'string') {
      const cleaned = removeInvisible(node)
      removed += cleaned.removed
      return cleaned.text
    }
    if (Array.isArray(node)) return node.map(walk)
    if (node === null || typeof node !== 'object') return node
    return Object.fromEntries(Object.entries(node).map(([key, inner]) => [key, walk(inner)]))
  }
  return { value: walk(value), removed }
}
