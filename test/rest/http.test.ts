import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readContract } from '../../backend-api/contract.ts'
import type { CreatedTicket, Problem } from '../../openapi/desk.gen.ts'
import { as, clientWith } from '../support/desk-client.ts'
import type { DeskClient } from '../support/desk-client.ts'
import { startService } from '../support/service.ts'
import type { Service } from '../support/service.ts'

const ORIGIN = 'http://ui.test'
let service: Service
let carol: DeskClient
beforeAll(async () => {
  service = await startService({ allowedOrigins: [ORIGIN] })
  carol = await as(service, 'carol')
})
afterAll(() => service.close())

const body = { subject: 'Printer', body: 'Off.' }
const problem = (status: number, code: Problem['code'], field?: string) => ({
  status,
  body: { type: `urn:desk:problem:${code}`, status, code, ...(field === undefined ? {} : { field }) },
})

describe('every refusal is a problem document', () => {
  test.each([
    ['limit=21', 'limit', 'limit: must be at most 20.'],
    ['limit=0', 'limit', 'limit: must be at least 1.'],
    ['limit=ten', 'limit', 'limit: must be integer.'],
    ['limit=1&limit=2', 'limit', 'limit: must be integer.'],
    ['status=pending', 'status', 'allowed values'],
    ['cursor=a.b', 'cursor', 'pattern'],
    ['query=', 'query', 'must not be empty'],
    ['query=%00', 'query', 'U+0000'],
    ['colour=red', 'colour', 'is not known here'],
  ])('a bad query names its field and what is expected: %s', async (query, field, words) => {
    const reply = await carol.get<Problem>(`/tickets?${query}`)
    expect(reply).toMatchObject(problem(400, 'invalid_request', field))
    expect(reply.body.detail).toContain(words)
    expect(reply.headers.get('content-type')).toContain('application/problem+json')
  })

  test.each([
    [{ ...body, subject: '' }, 'subject'],
    [{ ...body, subject: 'x'.repeat(201) }, 'subject'],
    [{ ...body, priority: 'soon' }, 'priority'],
    [{ ...body, tags: 'vip' }, 'tags'],
    [{ ...body, tags: ['a', 'a'] }, 'tags'],
    [{ ...body, tags: ['a', ''] }, 'tags.1'],
    [{ ...body, extra: 1 }, 'extra'],
    [{ subject: 'Printer' }, 'body'],
    [{ ...body, subject: 'a\0b' }, 'subject'],
    [{ ...body, tags: ['ok', 'half \ud800'] }, 'tags.1'],
    [undefined, 'body'],
  ])('a bad body names its field: %j', async (sent, field) => {
    expect(await carol.post('/tickets', { body: sent })).toMatchObject(problem(400, 'invalid_request', field))
  })

  test.each(['1', 't-1', 'T-01', 'T-99999999999999999999', '..%2Fpeople', 'T-1%0A'])(
    'an id that does not fit the contract is refused: %s',
    async (id) => {
      expect(await carol.get(`/tickets/${id}`)).toMatchObject(problem(400, 'invalid_request', 'id'))
    },
  )

  test('characters that a URL may carry as they are need no escape in a query', async () => {
    expect((await carol.get("/tickets?query=it's%20(urgent)!*")).status).toBe(200)
  })

  test('a body that is nested as deep as its size allows is refused, and none is read where none is taken', async () => {
    const deep = '['.repeat(120_000) + ']'.repeat(120_000)
    for (const sent of [deep, `{"subject":${deep}}`, `{"subject":"a","body":"b","tags":[${deep}]}`]) {
      expect(await carol.post('/tickets', { body: sent })).toMatchObject(problem(400, 'invalid_request'))
    }
    const alice = await as(service, 'alice')
    const { ticket } = (await carol.post<CreatedTicket>('/tickets', { body })).body
    const reopening = { body: `{"a":${deep}}`, key: 'deep' }
    expect(await alice.post(`/tickets/${ticket.id}/reopen`, reopening)).toMatchObject(
      problem(409, 'wrong_state'),
    )
    await alice.post(`/tickets/${ticket.id}/close`, { body: { resolution: 'Done.' } })
    expect((await alice.post(`/tickets/${ticket.id}/reopen`, reopening)).status).toBe(200)
  })

  test('malformed JSON and a malformed URL', async () => {
    expect(await carol.post('/tickets', { body: '{"subject":' })).toMatchObject(
      problem(400, 'invalid_request'),
    )
    expect(await carol.get('/tickets/%E0%A4%A')).toMatchObject(problem(400, 'invalid_request'))
  })

  test('nothing at this path, and nothing by this method', async () => {
    expect(await carol.get('/nothing')).toMatchObject(problem(404, 'not_found'))
    const reply = await carol.post('/people')
    expect(reply).toMatchObject(problem(405, 'method_not_allowed'))
    expect(reply.headers.get('allow')).toBe('GET, HEAD')
    const removed = await fetch(`${service.url}/tickets`, { method: 'DELETE' })
    expect([removed.status, removed.headers.get('allow')]).toEqual([405, 'GET, HEAD, POST'])
  })

  test('no type that the caller accepts', async () => {
    expect(await carol.get('/tickets', { Accept: 'text/html' })).toMatchObject(problem(406, 'not_acceptable'))
    expect((await carol.get('/tickets', { Accept: '*/*' })).status).toBe(200)
  })

  test('a body over the limit names the limit', async () => {
    const reply = await carol.post<Problem>('/tickets', { body: { ...body, body: 'x'.repeat(262_144) } })
    expect(reply).toMatchObject(problem(413, 'payload_too_large'))
    expect(reply.body.detail).toContain('262144 bytes')
  })

  test.each([{ 'Content-Type': 'text/plain' }, { 'Content-Encoding': 'gzip' }])(
    'a body of another kind: %j',
    async (headers) => {
      expect(await carol.post('/tickets', { body, headers })).toMatchObject(
        problem(415, 'unsupported_media_type'),
      )
    },
  )

  test('a fault of the service is 500 without any of its words, and is logged with the request id', async () => {
    const broken = await startService()
    const client = await as(broken, 'carol')
    await broken.store.close()
    const reply = await client.get<Problem>('/tickets', { 'X-Request-Id': 'find-me-in-the-log' })
    expect(reply).toMatchObject(problem(500, 'internal'))
    expect(JSON.stringify(reply.body)).not.toMatch(/sqlite|kysely|driver|stack|\.ts/i)
    expect(broken.logLines.find((line) => line.includes('"level":50'))).toContain('find-me-in-the-log')
    expect(await client.get('/readyz')).toMatchObject(problem(503, 'unavailable'))
    expect((await client.get('/healthz')).status).toBe(200)
    await broken.close()
  })
})

describe('request ids', () => {
  test('a plain one is taken and repeated, in the header and in the problem', async () => {
    const reply = await carol.get<Problem>('/nothing', { 'X-Request-Id': 'abc.DEF-123_4' })
    expect(reply.headers.get('x-request-id')).toBe('abc.DEF-123_4')
    expect(reply.body.request_id).toBe('abc.DEF-123_4')
  })
  test.each(['short', 'x'.repeat(65), 'with space', 'quote"quote'])(
    'another one is replaced: %s',
    async (id) => {
      const reply = await carol.get('/healthz', { 'X-Request-Id': id })
      expect(reply.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
    },
  )
})

describe('CORS', () => {
  const preflight = (origin: string) =>
    fetch(`${service.url}/tickets`, {
      method: 'OPTIONS',
      headers: { Origin: origin, 'Access-Control-Request-Method': 'POST' },
    })
  test('a preflight of an allowed origin is 204 and allows what the contract needs', async () => {
    const reply = await preflight(ORIGIN)
    expect(reply.status).toBe(204)
    expect(reply.headers.get('access-control-allow-origin')).toBe(ORIGIN)
    expect(reply.headers.get('access-control-allow-headers')).toContain('Idempotency-Key')
  })
  test('another origin is not allowed', async () => {
    expect((await preflight('http://evil.test')).headers.get('access-control-allow-origin')).toBeNull()
  })
  test('an error is readable to an allowed origin, with the headers that explain it', async () => {
    const reply = await clientWith(service.url, { Origin: ORIGIN }).get('/tickets')
    expect(reply.status).toBe(401)
    expect(reply.headers.get('access-control-allow-origin')).toBe(ORIGIN)
    expect(reply.headers.get('access-control-expose-headers')).toContain('WWW-Authenticate')
    expect(reply.headers.get('vary')).toContain('Origin')
  })
})

describe('the contract', () => {
  test('every operation of it is served, and each that is not public asks for a token', async () => {
    const anonymous = clientWith(service.url, {})
    const { operations } = readContract()
    expect(operations).toHaveLength(15)
    for (const { method, path, scopes, id } of operations) {
      const place = path.replace(':id', 'T-1')
      const reply = await (method === 'get' ? anonymous.get(place) : anonymous.post(place))
      expect(reply.status, id).toBe(scopes === undefined ? 200 : 401)
    }
  })
  test('the service shows the contract that it follows', async () => {
    const reply = await carol.get('/openapi.json')
    expect(reply.headers.get('content-type')).toContain('application/vnd.oai.openapi+json')
    expect(reply.body).toMatchObject({ openapi: '3.1.0', paths: { '/tickets': {} } })
  })
  test('nobody needs a token for the policy', async () => {
    const reply = await clientWith(service.url, {}).get('/policy')
    expect(reply.headers.get('content-type')).toContain('text/markdown')
  })
})
