// Whoever has no valid token gets a bounded number of answers; whoever has one is not in the least concerned.
import { afterEach, describe, expect, it } from 'vitest'
import { startFaultyDesk, type FaultyDesk } from '../support/faulty-desk.ts'
import { message2025 } from '../support/messages.ts'

const LIST = message2025('tools/list').body

let desk: FaultyDesk
afterEach(() => desk.close())

async function statuses(count: number, send: () => Promise<Response>): Promise<number[]> {
  const seen: number[] = []
  for (let index = 0; index < count; index++) {
    const response = await send()
    await response.arrayBuffer()
    seen.push(response.status)
  }
  return seen
}

describe('Requests without a valid token', () => {
  it.each([
    ['no token', () => desk.gateway.post(LIST, undefined), 401],
    ['a bad token', () => desk.gateway.post(LIST, 'nonsense'), 401],
    ['another method', () => fetch(desk.gateway.url), 405],
    ['another path', () => fetch(`${desk.gateway.origin}/admin`), 404],
    ['readiness', () => fetch(`${desk.gateway.origin}/readyz`), 200],
  ])('that come with %s are bounded for each address', async (_what, send, status) => {
    desk = await startFaultyDesk({ LIMIT_UNAUTHENTICATED_PER_MINUTE: '3' })
    expect(await statuses(5, send)).toEqual([status, status, status, 429, 429])
    const refused = await send()
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(await refused.json()).toMatchObject({ jsonrpc: '2.0', id: null, error: { code: 429 } })
  })

  it('never stop the liveness probe', async () => {
    desk = await startFaultyDesk({ LIMIT_UNAUTHENTICATED_PER_MINUTE: '1' })
    await statuses(3, () => desk.gateway.post(LIST, undefined))
    expect(await statuses(3, () => fetch(`${desk.gateway.origin}/healthz`))).toEqual([200, 200, 200])
  })

  it('are counted for a whole /64 of IPv6, however it is written: one host has all of it', async () => {
    desk = await startFaultyDesk({ LIMIT_UNAUTHENTICATED_PER_MINUTE: '3', TRUSTED_PROXIES: '127.0.0.1' })
    const from = (hop: string) => () => desk.gateway.post(LIST, undefined, { 'x-forwarded-for': hop })
    const seen = []
    for (const hop of ['2001:db8::1', '2001:DB8:0:0:8:7:6:5', '2001:db8::ffff:192.0.2.1', '2001:db8::2'])
      seen.push(...(await statuses(1, from(hop))))
    expect(seen).toEqual([401, 401, 401, 429])
    for (const hop of ['2001:db8:0:1::1', '::1', '2001:db8:1::', 'fe80::1'])
      expect(await statuses(1, from(hop))).toEqual([401])
  })

  it('are counted for the hop behind the trusted proxies, not for what the client claims', async () => {
    desk = await startFaultyDesk({ LIMIT_UNAUTHENTICATED_PER_MINUTE: '2', TRUSTED_PROXIES: '127.0.0.1' })
    const from = (hops: string) => () => desk.gateway.post(LIST, undefined, { 'x-forwarded-for': hops })
    const spoofed = Array.from({ length: 4 }, (_, index) => from(`10.9.8.${index}, 203.0.113.7`))
    const seen = []
    for (const send of spoofed) seen.push(...(await statuses(1, send)))
    expect(seen).toEqual([401, 401, 429, 429])
    expect(await statuses(1, from('203.0.113.8'))).toEqual([401])
  })
})

describe('Requests with a valid token', () => {
  it('are served also when others at the same address have used up what strangers may ask', async () => {
    desk = await startFaultyDesk({ LIMIT_UNAUTHENTICATED_PER_MINUTE: '2' })
    expect(await statuses(4, () => desk.gateway.post(LIST, 'nonsense'))).toEqual([401, 401, 429, 429])
    expect(await statuses(3, () => desk.gateway.post(LIST, desk.tokens.alice))).toEqual([200, 200, 200])
    expect(await statuses(1, () => desk.gateway.post(LIST, undefined))).toEqual([429])
  })

  it('cost nothing of that, however many they are', async () => {
    desk = await startFaultyDesk({ LIMIT_UNAUTHENTICATED_PER_MINUTE: '2' })
    const all = await statuses(20, () => desk.gateway.post(LIST, desk.tokens.alice))
    expect(new Set(all)).toEqual(new Set([200]))
    expect(await statuses(1, () => desk.gateway.post(LIST, undefined))).toEqual([401])
  })
})
