import { connect } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startIdentity } from '../support/identity.ts'
import type { RunningIdentity } from '../support/identity.ts'

let identity: RunningIdentity
beforeAll(async () => {
  identity = await startIdentity()
})
afterAll(() => identity.close())

const FORM = 'application/x-www-form-urlencoded'

it.each([
  ['token', FORM],
  ['token/revocation', FORM],
  ['reg', 'application/json'],
])('a client that leaves in the middle of its request is no failure: %s', async (path, type) => {
  const before = identity.logged().length
  const head = [`POST /identity/${path} HTTP/1.1`, 'Host: x', `Content-Type: ${type}`, 'Content-Length: 500']
  const socket = connect(identity.port, '127.0.0.1')
  socket.write(`${head.join('\r\n')}\r\n\r\ngrant_type=`, () => socket.destroy())
  await expect.poll(() => identity.logged().slice(before)).toContain('a client left')
  const lines = identity.logged().slice(before).trim().split('\n')
  const levels = lines.map((line) => (JSON.parse(line) as { level: number }).level)
  expect(new Set(levels)).toEqual(new Set([20]))
})
