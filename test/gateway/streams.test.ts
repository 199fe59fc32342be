// The endpoint's streams, with a server that has something to listen to.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Server } from '@modelcontextprotocol/server'
import express from 'express'
import { expect, it } from 'vitest'
import { authenticate } from '../../src/gateway/authenticate.ts'
import { createMcpEndpoint } from '../../src/gateway/mcp-endpoint.ts'
import { createProtectedResource } from '../../src/gateway/protected-resource.ts'
import { readMessage } from '../../src/gateway/read-message.ts'

const CALLER = {
  subject: 'alice',
  clientId: 'c',
  scopes: new Set<string>(),
  roles: [],
  name: undefined,
  token: 't',
  actor: undefined,
  expiresAt: 2e9,
}

async function listen(keepAliveMs: number) {
  const endpoint = createMcpEndpoint({
    factory: () =>
      new Server({ name: 's', version: '1' }, { capabilities: { tools: { listChanged: true } } }),
    onError: () => undefined,
    keepAliveMs,
  })
  const app = express().post(
    '/mcp',
    authenticate({
      verify: () => Promise.resolve({ kind: 'valid', caller: CALLER }),
      resource: createProtectedResource([new URL('http://127.0.0.1/mcp')], 'http://127.0.0.1/issuer'),
      onIssuerFault: () => undefined,
    }),
    ...readMessage(),
    endpoint.handle,
  )
  const server = createServer(app).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, {
    method: 'POST',
    headers: {
      authorization: 'Bearer t',
      'content-type': 'application/json',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'subscriptions/listen',
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 9,
      method: 'subscriptions/listen',
      params: {
        notifications: { toolsListChanged: true },
        _meta: {
          'io.modelcontextprotocol/protocolVersion': '2026-07-28',
          'io.modelcontextprotocol/clientCapabilities': {},
        },
      },
    }),
  })
  return { endpoint, server, response }
}

it('a quiet stream is kept open by comment lines, unbuffered, and ends with a result when the gateway stops (C43)', async () => {
  const { endpoint, server, response } = await listen(50)
  expect(response.headers.get('content-type')).toContain('text/event-stream')
  expect(response.headers.get('x-accel-buffering')).toBe('no')
  expect(endpoint.openStreams()).toBe(1)
  let seen = ''
  for await (const chunk of (response.body as ReadableStream<Uint8Array>).pipeThrough(
    new TextDecoderStream(),
  )) {
    seen += chunk
    if ((seen.match(/^:/gm) ?? []).length === 3) await endpoint.close()
  }
  expect(seen).toContain('notifications/subscriptions/acknowledged')
  expect(seen).toMatch(/"id":9,"result":/)
  await expect.poll(endpoint.openStreams).toBe(0)
  server.close()
})

it('a client that leaves takes its stream with it', async () => {
  const { server, response } = await listen(20)
  await response.body?.cancel()
  server.close()
  await once(server, 'close')
  expect(server.listening).toBe(false)
})
