// Reads the body of a form post (application/x-www-form-urlencoded).

import type { IncomingMessage } from 'node:http'

const FORM_BYTES_MAX = 4096

/** The fields of the form, or undefined when the body is larger than 4096 bytes. */
export async function readForm(req: IncomingMessage): Promise<URLSearchParams | undefined> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of req.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > FORM_BYTES_MAX) return undefined
    chunks.push(chunk)
  }
  return new URLSearchParams(Buffer.concat(chunks).toString('utf8'))
}
