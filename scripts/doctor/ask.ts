// One GET, and what came of it as a value.

import type { FetchUrl } from '../../src/backend/backchannel.ts'

/** Below the bound on a whole check, so that the check can still say what it asked. */
const TIMEOUT_MS = 2_500
/** Ten times the contract, which is the largest thing asked for. */
const BODY_MAX_BYTES = 1024 * 1024

export type Answer =
  | { readonly kind: 'answer'; readonly status: number; readonly headers: Headers; readonly text: string }
  | { readonly kind: 'silent'; readonly cause: string }

/** Never rejects; waits two and a half seconds at most. Redirects are not followed. */
export async function ask(url: URL | string, fetchUrl: FetchUrl = fetch): Promise<Answer> {
  try {
    const response = await fetchUrl(url, { redirect: 'manual', signal: AbortSignal.timeout(TIMEOUT_MS) })
    return {
      kind: 'answer',
      status: response.status,
      headers: response.headers,
      text: await readBounded(response),
    }
  } catch (error) {
    return { kind: 'silent', cause: causeOf(error) }
  }
}

/** The body as JSON; undefined when it is none. */
export function jsonOf({ text }: { readonly text: string }): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

async function readBounded(response: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += chunk.byteLength
    if (bytes > BODY_MAX_BYTES) throw new Error(`more than ${BODY_MAX_BYTES} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** In words where there are some: fetch hides the system's code one level down. */
function causeOf(error: unknown): string {
  const { name, message, cause } = error as Error & { cause?: { code?: string; message?: string } }
  if (name === 'TimeoutError') return `no answer within ${TIMEOUT_MS / 1000} seconds`
  if (cause?.code === 'ECONNREFUSED') return 'nothing listens there'
  if (cause?.code === 'ENOTFOUND') return 'no such host'
  if (cause?.code === 'ECONNRESET' || cause?.code === 'UND_ERR_SOCKET')
    return 'the connection was closed without an answer'
  return cause?.code ?? cause?.message ?? message
}
