// HTTP where fetch would not let a test send what it wants to send: Host, Expect, broken requests, early goodbyes.
import { once } from 'node:events'
import { request, type IncomingHttpHeaders } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'

export interface RawAnswer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

export interface RawRequest {
  readonly method?: string
  readonly headers?: Record<string, string | string[]>
  readonly body?: string | Buffer
}

/** One request with exactly these headers. `host` is what stands in the header, not where the request goes. */
export async function send(
  url: string,
  { method = 'GET', headers = {}, body }: RawRequest = {},
): Promise<RawAnswer> {
  const req = request(url, { method, headers, agent: false })
  req.end(body)
  const [res] = (await once(req, 'response')) as [
    Parameters<typeof text>[0] & { statusCode: number; headers: IncomingHttpHeaders },
  ]
  return { status: res.statusCode, headers: res.headers, body: await text(res) }
}

/** Bytes as they stand, and what came back until the server closed or a second passed. */
export async function sendBytes(origin: string, bytes: string): Promise<string> {
  const { hostname, port } = new URL(origin)
  const socket = connect(Number(port), hostname)
  socket.write(bytes)
  socket.setTimeout(1_000, () => socket.destroy())
  const chunks: Buffer[] = []
  socket.on('data', (chunk: Buffer) => chunks.push(chunk))
  socket.on('error', () => undefined)
  await once(socket, 'close')
  return Buffer.concat(chunks).toString('utf8')
}
