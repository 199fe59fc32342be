// Writes what the SDK has answered: one message with its length, or an event stream as it comes.
import { Readable } from 'node:stream'
import type { ReadableStream as WebStream } from 'node:stream/web'
import type { Request as HttpRequest, Response as HttpResponse } from 'express'

const EVENT_STREAM = 'text/event-stream'
/** Whichever comes first says what a message is: inside of strings quotes are escaped. */
const RESULT_OR_ERROR = /"(?:result":|error":\{"code":(-?\d+))/

export function isEventStream(response: Response): boolean {
  return response.body !== null && (response.headers.get('content-type')?.startsWith(EVENT_STREAM) ?? false)
}

export function pipeStream(response: Response, res: HttpResponse): void {
  writeHead(response, res)
  response.headers.forEach((value, name) => res.setHeader(name, value))
  res.flushHeaders()
  Readable.fromWeb(response.body as WebStream<Uint8Array>)
    .on('error', () => res.destroy())
    .pipe(res)
}

/** Returns the code of the JSON-RPC error that went out; `''` where none did, `other` for one without a code. */
export async function writeMessage(response: Response, req: HttpRequest, res: HttpResponse): Promise<string> {
  const text = await response.text()
  writeHead(response, res)
  if (response.status === 200 && wantsEventStream(req)) {
    res.setHeader('Content-Type', EVENT_STREAM)
    res.end(`event: message\ndata: ${text}\n\n`)
  } else {
    const body = Buffer.from(text)
    const type = response.headers.get('content-type')
    if (type !== null) res.setHeader('Content-Type', type)
    res.setHeader('Content-Length', body.length)
    res.end(body)
  }
  return RESULT_OR_ERROR.exec(text)?.[1] ?? (response.status < 400 ? '' : 'other')
}

function writeHead(response: Response, res: HttpResponse): void {
  res.status(response.status)
  res.setHeader('Cache-Control', 'no-store')
}

/** True only for a client that takes event streams and no JSON; everything else is served JSON. */
function wantsEventStream(req: HttpRequest): boolean {
  const accept = req.headers.accept ?? '*/*'
  return /text\/event-stream/i.test(accept) && !/application\/(json|\*)|\*\/\*/i.test(accept)
}
