// Entity tags and conditional reads (RFC 9110 sections 8.8.3 and 13.1.2).
import { createHash } from 'node:crypto'

const HASH_CHARACTERS = 27

/** A strong tag that changes with any part of the content. */
export function entityTagOf(content: unknown): string {
  const hash = createHash('sha256').update(JSON.stringify(content)).digest('base64url')
  return `"${hash.slice(0, HASH_CHARACTERS)}"`
}

/** Whether the copies named in If-None-Match include this one. Express would ignore the header of a fetch() call. */
export function isCurrent(ifNoneMatch: string | undefined, tag: string): boolean {
  const tags = (ifNoneMatch ?? '').split(',').map((one) => one.trim().replace(/^W\//, ''))
  return tags.includes('*') || tags.includes(tag)
}
