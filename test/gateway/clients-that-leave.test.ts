// A client that leaves before its message is served: nothing is done for it.
import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import { Server } from '@modelcontextprotocol/server'
import express from 'express'
import { expect, it, onTestFinished } from 'vitest'
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

it('a call is not run for a client that left while its token was checked', async () => {
  let checked: (() => void) | undefined
  let calls = 0
  const endpoint = createMcpEndpoint({
    factory: () => {
      const server = new Server({ name: 's', version: '1' }, { capabilities: { tools: {} } })
      server.setRequestHandler('tools/call', () => {
        calls++
        return { content: [] }
      })
      return server
    },
    onError: () => undefined,
  })
  const app = express().post(
    '/mcp',
    ...readMessage(),
    authenticate({
      verify: () =>
        new Promise((resolve) => {
          checked = () => {
            resolve({ kind: 'valid', caller: CALLER })
          }
        }),
      resource: createProtectedResource([new URL('http://127.0.0.1/mcp')], 'http://127.0.0.1/issuer'),
      onIssuerFault: () => undefined,
    }),
    endpoint.handle,
  )
  const server = createServer(app).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const send = () => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'n' } })
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
    socket.write(
      `POST /mcp HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer t\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    )
    return socket
  }

  const leaving = send()
  const [, left] = (await once(server, 'request')) as [unknown, NodeJS.EventEmitter]
  await expect.poll(() => checked).toBeDefined()
  leaving.destroy()
  await once(left, 'close')
  checked?.()
  await endpoint.close()
  expect(calls).toBe(0)

  checked = undefined
  const staying = send()
  await expect.poll(() => checked).toBeDefined()
  ;(checked as unknown as () => void)()
  staying.resume()
  await once(staying, 'end')
  expect(calls).toBe(1)
})
