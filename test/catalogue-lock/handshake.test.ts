// Which catalogue a deployment serves can be seen in the handshake of both eras, whatever its namespace.
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startFaultyDesk, type FaultyDesk } from '../support/faulty-desk.ts'
import { ERAS } from '../support/messages.ts'

const LOCK = new URL('../../catalog.lock.json', import.meta.url)
const METHODS = { '2025-11-25': 'initialize', '2026-07-28': 'server/discover' }
const INITIALIZE = {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'test', version: '1' },
}

let desk: FaultyDesk
beforeAll(async () => {
  desk = await startFaultyDesk({ NAMESPACE: 'other_desk' })
})
afterAll(() => desk.close())

describe('The handshake', () => {
  it.each(ERAS)('of %s says the version and the digest that are locked', async (name, era) => {
    const { headers, body } = era(METHODS[name], name === '2025-11-25' ? INITIALIZE : {})
    const answer = await desk.gateway.post(body, desk.tokens.alice, headers)
    const { version, digest } = JSON.parse(readFileSync(LOCK, 'utf8')) as Record<string, string>
    expect(await answer.json()).toMatchObject({
      result: { capabilities: { experimental: { 'desk/catalogue': { version, digest } } } },
    })
  })
})
