// What a client may use is bounded: first the model is told, then the client at HTTP level. Only tool calls count.
import { afterEach, describe, expect, it } from 'vitest'
import { startFaultyDesk, type FaultyDesk } from '../support/faulty-desk.ts'
import { errorOf, textOf, type CallResult } from '../support/gateway.ts'
import { ERAS, message2025, toolCall, type Era } from '../support/messages.ts'
import { json, TICKET, TICKET_DETAIL } from '../support/scripted-backend.ts'

const ORIGIN = 'https://app.example.com'

let desk: FaultyDesk
afterEach(() => desk.close())

async function start(variables: Record<string, string>): Promise<void> {
  desk = await startFaultyDesk(variables)
  desk.backend.answer(({ method }, res) => {
    if (method === 'GET') json(res, 200, TICKET_DETAIL)
    else json(res, 201, { ticket: TICKET, created: true })
  })
}

const read = (token = desk.tokens.alice) => desk.gateway.call('ticket_get', { id: 'T-42' }, token)
const create = () => desk.gateway.call('ticket_create', { subject: 'a', body: 'b' }, desk.tokens.alice)

async function post(era: Era, id: unknown, headers: Record<string, string> = {}) {
  const message = toolCall(era, 'ticket_get', { id: 'T-42' }, id)
  const response = await desk.gateway.post(message.body, desk.tokens.alice, {
    ...message.headers,
    ...headers,
  })
  const body = (await response.json()) as {
    id: unknown
    result?: CallResult
    error?: { code: number; message: string; data: { retry_after_s: number } }
  }
  return { status: response.status, headers: response.headers, body }
}

function rejections(tool: string, reason: string): Promise<number> {
  return desk.gateway.gateway.metrics.registry
    .getSingleMetricAsString('desk_gateway_rejections_total')
    .then((text) => {
      const labels = `{gen_ai_tool_name="acme_desk__${tool}",reason="${reason}"}`
      return Number(text.split(`${labels} `)[1]?.split('\n')[0])
    })
}

describe.each(ERAS)('A client of %s', (_era, era) => {
  it('over its limit is told the wait as a tool result with its id (C01, C04)', async () => {
    await start({ LIMIT_READS_PER_MINUTE: '2' })
    for (const id of [5, 6]) expect((await post(era, id)).body.result?.isError).toBeUndefined()
    const { status, body } = await post(era, 7)
    expect([status, body.id]).toEqual([200, 7])
    const result = body.result as CallResult
    expect(errorOf(result)).toMatchObject({ class: 'rate_limited', code: 'over_limit', retryable: true })
    const seconds = errorOf(result).retry_after_s ?? 0
    expect(seconds).toBeGreaterThan(0)
    expect(seconds).toBeLessThanOrEqual(60)
    expect(textOf(result)).toBe(
      `[rate_limited] Too many calls.\nWait ${seconds} seconds, then call again. Request id: ${errorOf(result).request_id}.`,
    )
    expect(desk.backend.asked).toHaveLength(2)
  })

  it('past the ceiling is told at HTTP level, with its id (C01) and what a browser needs to see it (C06)', async () => {
    await start({ LIMIT_READS_PER_MINUTE: '1', LIMIT_HARD_FACTOR: '3', ALLOWED_ORIGINS: ORIGIN })
    for (const id of [1, 2, 3]) expect((await post(era, id)).status).toBe(200)
    for (const id of [7, 'seven']) {
      const { status, headers, body } = await post(era, id, { origin: ORIGIN })
      expect([status, body.id]).toEqual([429, id])
      const seconds = Number(headers.get('retry-after'))
      expect(seconds).toBeGreaterThan(0)
      expect(seconds).toBeLessThanOrEqual(60)
      expect(body.error).toMatchObject({ code: 429, data: { retry_after_s: seconds } })
      expect(body.error?.message).toContain(`${seconds} seconds`)
      expect(headers.get('ratelimit-policy')).toBe('"reads";q=1;w=60')
      expect(headers.get('ratelimit')).toBe(`"reads";r=0;t=${seconds}`)
      expect(headers.get('access-control-allow-origin')).toBe(ORIGIN)
      const exposed = headers.get('access-control-expose-headers')?.split(', ')
      expect(exposed).toEqual(expect.arrayContaining(['Retry-After', 'RateLimit', 'RateLimit-Policy']))
    }
    expect(desk.backend.asked).toHaveLength(1)
    expect(await rejections('ticket_get', 'over_ceiling')).toBe(2)
  })

  it('pays for tool calls only: handshake, discovery, lists and notifications are free (C05)', async () => {
    await start({ LIMIT_READS_PER_MINUTE: '1' })
    const client = {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'x', version: '1' },
    }
    const free = [
      message2025('initialize', client).body,
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      ...['tools/list', 'resources/list', 'prompts/list', 'ping', 'server/discover'].map(
        (method) => era(method).body,
      ),
    ]
    for (let round = 0; round < 3; round++)
      for (const body of free) {
        const answer = await desk.gateway.post(body, desk.tokens.alice, era(String(body['method'])).headers)
        expect(await answer.text()).not.toMatch(/rate_limited|429/)
      }
    expect((await post(era, 1)).body.result?.isError).toBeUndefined()
    expect(errorOf((await post(era, 2)).body.result as CallResult).class).toBe('rate_limited')
  })
})

describe('Budgets', () => {
  it('of reads and writes are apart, and the refusal is counted with its tool and reason (C08)', async () => {
    await start({ LIMIT_READS_PER_MINUTE: '60', LIMIT_WRITES_PER_MINUTE: '5' })
    for (let call = 1; call <= 5; call++) expect((await create()).isError).toBeUndefined()
    expect(errorOf(await create()).class).toBe('rate_limited')
    expect((await read()).isError).toBeUndefined()
    expect(await rejections('ticket_create', 'over_limit')).toBe(1)
    expect(await rejections('ticket_get', 'over_limit')).toBe(0)
  })

  it('of the export are its own, and 0 allows none', async () => {
    await start({ LIMIT_EXPORTS_PER_MINUTE: '0' })
    const result = await desk.gateway.call('desk_export', {}, desk.tokens.dave)
    expect(errorOf(result)).toMatchObject({ class: 'rate_limited', code: 'over_limit' })
    expect((await read(desk.tokens.dave)).isError).toBeUndefined()
  })

  it('of one person are not spent by another', async () => {
    await start({ LIMIT_READS_PER_MINUTE: '1' })
    await read()
    expect(errorOf(await read()).class).toBe('rate_limited')
    expect((await read(desk.tokens.carol)).isError).toBeUndefined()
  })

  it('are billed for tools that do not exist, so that guessing names is bounded too', async () => {
    await start({ LIMIT_READS_PER_MINUTE: '1', LIMIT_HARD_FACTOR: '2' })
    const guess = async () => {
      const { body } = toolCall(message2025, 'no_such_tool', {})
      return (await desk.gateway.post(body, desk.tokens.alice)).status
    }
    expect([await guess(), await guess(), await guess()]).toEqual([200, 200, 429])
  })
})
