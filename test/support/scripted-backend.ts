// A real HTTP server in the ticket service's place that answers what the test tells it to, and remembers what it was asked.
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

export interface Asked {
  readonly method: string
  readonly url: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
  /** Resolves when the gateway has closed the connection before an answer was complete. */
  readonly aborted: Promise<void>
}

export interface ScriptedBackend {
  readonly url: string
  readonly asked: Asked[]
  /** What to do with the next requests. */
  answer(script: (asked: Asked, res: ServerResponse) => void): void
  close(): Promise<void>
}

export async function startScriptedBackend(): Promise<ScriptedBackend> {
  const asked: Asked[] = []
  let script: (asked: Asked, res: ServerResponse) => void = (_asked, res) => res.writeHead(500).end()
  const server = createServer((req, res) => {
    if (req.url === '/v1/readyz') {
      res.end('{"status":"ok"}')
      return
    }
    const aborted = new Promise<void>((resolve) =>
      res.on('close', () => {
        if (!res.writableFinished) resolve()
      }),
    )
    void text(req).then((body) => {
      const entry = { method: req.method ?? '', url: req.url ?? '', headers: req.headers, body, aborted }
      asked.push(entry)
      script(entry, res)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    asked,
    answer: (next) => {
      script = next
    },
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

export function json(
  res: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
) {
  res.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
}

/** A problem document as the service sends them. */
export function problem(
  res: ServerResponse,
  status: number,
  code: string,
  more: Record<string, unknown> = {},
) {
  res.writeHead(status, { 'content-type': 'application/problem+json' }).end(
    JSON.stringify({
      type: `urn:desk:problem:${code}`,
      title: code,
      status,
      code,
      detail: `Detail of ${code}.`,
      request_id: 'r-1',
      ...more,
    }),
  )
}

export const TICKET = {
  id: 'T-42',
  subject: 'Printer on floor 3 is offline',
  body: 'It blinks red.',
  status: 'open',
  priority: 'high',
  requester: { id: 'carol', name: 'Carol Diaz' },
  assignee: null,
  tags: ['printer'],
  created_at: '2026-03-02T09:15:00.000Z',
  updated_at: '2026-03-02T09:15:00.000Z',
  closed_at: null,
  resolution: null,
  comment_count: 0,
}

export const TICKET_DETAIL = { ticket: TICKET, comments: [], comments_next_cursor: null }

export function ticketSummary(id: number) {
  const {
    subject,
    status,
    priority,
    requester,
    assignee,
    tags,
    created_at,
    updated_at,
    closed_at,
    comment_count,
  } = TICKET
  return {
    id: `T-${id}`,
    subject,
    status,
    priority,
    requester,
    assignee,
    tags,
    created_at,
    updated_at,
    closed_at,
    comment_count,
  }
}
