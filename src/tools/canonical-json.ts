// One text for equal JSON values (RFC 8785), and the digest of it.
import { createHash } from 'node:crypto'

/** SHA-256 over the value's canonical JSON. */
export function digestOf(value: unknown): string {
  return `sha256:${createHash('sha256').update(canonicalJson(value)).digest('hex')}`
}

/**
 * RFC 8785 for values that came from JSON: no space, keys in the order of their UTF-16 code units. Without recursion,
 * because what a client sends may be nested deeper than the call stack.
 */
export function canonicalJson(value: unknown): string {
  const open: Container[] = []
  let text = ''
  const begin = (node: unknown) => {
    if (node === null || typeof node !== 'object') {
      text += JSON.stringify(node)
      return
    }
    const container = containerOf(node)
    open.push(container)
    text += container.names ? '{' : '['
  }
  begin(value)
  for (let inner = open.at(-1); inner; inner = open.at(-1)) {
    const { names, values, next } = inner
    if (next === values.length) {
      text += names ? '}' : ']'
      open.pop()
    } else {
      if (next > 0) text += ','
      if (names) text += `${JSON.stringify(names[next])}:`
      inner.next++
      begin(values[next])
    }
  }
  return text
}

interface Container {
  /** Undefined for a list. */
  readonly names: readonly string[] | undefined
  readonly values: readonly unknown[]
  next: number
}

function containerOf(node: object): Container {
  if (Array.isArray(node)) return { names: undefined, values: node, next: 0 }
  const members = node as Readonly<Record<string, unknown>>
  const names = Object.keys(members)
    .filter((name) => members[name] !== undefined)
    .sort()
  return { names, values: names.map((name) => members[name]), next: 0 }
}
