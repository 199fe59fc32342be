import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Event } from '../../openapi/desk.gen.ts'
import { as } from '../support/desk-client.ts'
import type { DeskClient } from '../support/desk-client.ts'
import { startService } from '../support/service.ts'
import type { Service } from '../support/service.ts'

let service: Service
let carol: DeskClient
beforeAll(async () => {
  service = await startService({ quietStreamMs: 100 })
  carol = await as(service, 'carol')
})
afterAll(() => service.close())

const file = () => carol.post('/tickets', { body: { subject: 'Printer', body: 'Off.' } })

/** Reads a stream until `enough` says so, then goes away; the text so far. */
async function follow(
  enough: (text: string) => boolean,
  lastEventId?: string,
  opened?: () => void,
): Promise<string> {
  const gone = new AbortController()
  const response = await open(lastEventId, gone.signal)
  expect(response.headers.get('content-type')).toBe('text/event-stream')
  expect(response.headers.get('x-accel-buffering')).toBe('no')
  opened?.()
  let text = ''
  for await (const chunk of response.body ?? []) {
    text += Buffer.from(chunk as Uint8Array).toString()
    if (enough(text)) break
  }
  gone.abort()
  return text
}

async function open(lastEventId?: string, signal?: AbortSignal): Promise<Response> {
  const token = await service.tokenOf('alice')
  return await fetch(`${service.url}/events`, {
    headers: {
      Authorization: `Bearer ${token}`,
      ...(lastEventId === undefined ? {} : { 'Last-Event-ID': lastEventId }),
    },
    ...(signal === undefined ? {} : { signal }),
  })
}

const idsIn = (text: string) => [...text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id))

test('a stream starts with the next event, and its data is the contract’s Event', async () => {
  await file()
  const before = Number(await service.store.lastEventId())
  const text = await follow(
    (so) => so.includes('data:'),
    undefined,
    () => void file(),
  )
  expect(idsIn(text)).toEqual([before + 1])
  const data = JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? '') as Event
  expect(data).toMatchObject({ id: String(before + 1), type: 'ticket_created', actor_id: 'carol' })
})

test('no event is lost or repeated across reconnections while others write', async () => {
  const start = Number(await service.store.lastEventId())
  const writing = (async () => {
    for (let n = 0; n < 60; n += 1) await file()
  })()
  const seen: number[] = []
  while (seen.length < 60) {
    const last = String(seen.at(-1) ?? start)
    seen.push(...idsIn(await follow((so) => idsIn(so).length > 0 && so.endsWith('\n\n'), last)))
  }
  await writing
  expect(seen).toEqual(Array.from({ length: 60 }, (_, n) => start + 1 + n))
})

test('a quiet stream gets comment lines', async () => {
  expect(await follow((so) => so.endsWith(':\n\n:\n\n'))).toBe(': open\n\n:\n\n:\n\n')
})

test('an id of the future is refused, so that nobody waits for what was lost', async () => {
  const reply = await open('9223372036854775807')
  expect([reply.status, await reply.json()]).toMatchObject([
    400,
    { code: 'invalid_request', field: 'last_event_id' },
  ])
})

test('customers may not follow', async () => {
  expect(await carol.get('/events')).toMatchObject({ status: 403, body: { code: 'forbidden' } })
})

test('the number of streams is bounded, and one that went away makes room', async () => {
  const gone = new AbortController()
  const streams = await Promise.all(Array.from({ length: 100 }, () => open(undefined, gone.signal)))
  expect(streams.map(({ status }) => status)).toEqual(new Array<number>(100).fill(200))
  const refused = await open()
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '30'])
  gone.abort()
  await expect
    .poll(async () => {
      const last = new AbortController()
      const { status } = await open(undefined, last.signal)
      last.abort()
      return status
    })
    .toBe(200)
})

test('streams end when their token does, and when the service begins to stop', async () => {
  const token = await service.issuer.sign({
    ...{ sub: 'alice', role: 'staff', scope: 'tickets:read', aud: 'http://desk.test/v1' },
    exp: Math.floor(Date.now() / 1000) + 2,
  })
  const ending = await fetch(`${service.url}/events`, { headers: { Authorization: `Bearer ${token}` } })
  expect(await ending.text()).toContain(': open')
  const stopped = await open()
  service.beginStop()
  expect(await stopped.text()).toContain(': open')
  expect(await carol.get('/readyz')).toMatchObject({ status: 503, body: { code: 'unavailable' } })
})
