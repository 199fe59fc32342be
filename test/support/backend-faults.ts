// What can go wrong between the gateway and the ticket service, as scripts for a scripted backend.
import type { ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'
import { problem, TICKET_DETAIL, type Asked } from './scripted-backend.ts'

export type Script = (asked: Asked, res: ServerResponse) => void

/** What no text for a model may contain, wherever it came from. */
export const LEAKS = ['<', '10.0.0.7', 'at Object.', 'eyJ', 'SECRET', '127.0.0.1', 'nginx']

const HTML =
  '<html><h1>nginx</h1> upstream 10.0.0.7:8081 failed, SECRET eyJhbGciOi at Object.<anonymous> (/srv/app.js:1:2)</html>'

export function withHtml(status: number): Script {
  return (_asked, res) => res.writeHead(status, { 'content-type': 'text/html' }).end(HTML)
}

export function withNothing(status: number): Script {
  return (_asked, res) => res.writeHead(status).end()
}

export function withProblem(
  status: number,
  code = 'some_problem',
  more: Record<string, unknown> = {},
): Script {
  return (_asked, res) => {
    problem(res, status, code, more)
  }
}

/** A body as it stands, under a status that says that all went well. */
export function ok(body: string | Buffer, headers: Record<string, string> = {}): Script {
  return (_asked, res) => res.writeHead(200, { 'content-type': 'application/json', ...headers }).end(body)
}

export const redirect =
  (status: number, location: string): Script =>
  (_asked, res) =>
    res.writeHead(status, { location }).end()

export const reset: Script = (_asked, res) => res.socket?.resetAndDestroy()

export const resetAfterHalf: Script = (_asked, res) => {
  const body = JSON.stringify(TICKET_DETAIL)
  res.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length })
  res.write(body.slice(0, body.length / 2), () => res.socket?.resetAndDestroy())
}

export const closeBeforeTheEnd: Script = (_asked, res) => {
  res.writeHead(200, { 'content-type': 'application/json', 'content-length': 10_000 })
  res.write(JSON.stringify(TICKET_DETAIL), () => res.socket?.end())
}

export const noHttp: Script = (_asked, res) => res.socket?.end('SSH-2.0-OpenSSH_9.2\r\n')

export const hang: Script = () => undefined

/** A byte now and then, for longer than any deadline. */
export const drip: Script = (_asked, res) => {
  res.writeHead(200, { 'content-type': 'application/json' })
  const timer = setInterval(() => res.write(' '), 40)
  res.on('close', () => {
    clearInterval(timer)
  })
}

export const gzipped = ok(gzipSync(JSON.stringify(TICKET_DETAIL)), { 'content-encoding': 'gzip' })
export const tooLarge = ok(`{"padding":"${'x'.repeat(3 * 1024 * 1024)}"}`)
