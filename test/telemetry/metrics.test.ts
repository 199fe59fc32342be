import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startFaultyDesk, type FaultyDesk } from '../support/faulty-desk.ts'
import { ERAS } from '../support/messages.ts'
import { json, problem, TICKET_DETAIL } from '../support/scripted-backend.ts'
import { changesOf, readSeries } from '../support/series.ts'

/** That people sign in with, and that the operator lists. */
const CLIENT = 'desk-local'

let desk: FaultyDesk
let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'metrics-'))
  const policy = join(folder, 'policy.json')
  await writeFile(policy, JSON.stringify({ clients: { [CLIENT]: {} } }))
  desk = await startFaultyDesk({
    CLIENT_POLICY_FILE: policy,
    LIMIT_WRITES_PER_MINUTE: '1',
    LIMIT_HARD_FACTOR: '2',
    LIMIT_UNAUTHENTICATED_PER_MINUTE: '3',
  })
  serveTicket()
  // Token and credentials are known from here on.
  await read()
})
afterAll(async () => {
  await desk.close()
  await rm(folder, { recursive: true })
})

const serveTicket = () => {
  desk.backend.answer((_asked, res) => {
    json(res, 200, TICKET_DETAIL)
  })
}
const read = () => desk.gateway.call('ticket_get', { id: 'T-42' }, desk.tokens.alice)
const write = () => desk.gateway.post(callOf(CLOSE, { id: 'T-42', resolution: 'Done.' }), desk.tokens.alice)
const callOf = (name: string, args: Record<string, unknown>) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name, arguments: args },
})
const message = (method: string, params?: unknown) =>
  desk.gateway.post({ jsonrpc: '2.0', id: 1, method, params }, desk.tokens.alice)

/** The series that an action moves, and by how much. */
async function movedBy(action: () => Promise<unknown>): Promise<Record<string, number>> {
  const { metrics } = desk.gateway.gateway
  const before = await readSeries(metrics)
  await action()
  for (;;) {
    const moved = changesOf(before, await readSeries(metrics))
    // The request itself is counted last, when its connection is done with it: that may be after its answer was read.
    if (Object.keys(moved).some((series) => series.startsWith('http_server'))) return moved
    await sleep(10)
  }
}

const operation = (tool: string, errorType: string, method = 'tools/call') =>
  `mcp_server_operation_duration_seconds_count{mcp_method_name="${method}",gen_ai_tool_name="${tool}",error_type="${errorType}"}`
const failure = (tool: string, failureClass: string) =>
  `desk_gateway_failures_total{gen_ai_tool_name="${tool}",class="${failureClass}"}`
const http = (method: string, route: string, status: number) =>
  `http_server_request_duration_seconds_count{http_request_method="${method}",http_route="${route}",http_response_status_code="${status}"}`
const clientCalls = (outcome: string) =>
  `desk_gateway_client_calls_total{client="${CLIENT}",outcome="${outcome}"}`
const decision = (budget: string, decided: string) =>
  `desk_gateway_rate_limit_decisions_total{limit_class="configuration",budget="${budget}",decision="${decided}"}`
const verified = (result: string) => `desk_gateway_token_verifications_total{result="${result}"}`
const attempts = (outcome: string) =>
  `desk_gateway_backend_request_duration_seconds_count{operation="getTicket",outcome="${outcome}"}`
const GET = 'acme_desk__ticket_get'
const CLOSE = 'acme_desk__ticket_close'
const WAITED = 'desk_gateway_queue_wait_seconds_count{outcome="entered"}'
const HIT = 'desk_gateway_exchange_cache_total{result="hit"}'
const RETRIED = 'desk_gateway_backend_retries_total{operation="getTicket"}'

const rejected = (reason: string) =>
  `desk_gateway_rejections_total{gen_ai_tool_name="${CLOSE}",reason="${reason}"}`

describe('a tool call moves these series, once, and no other', () => {
  const always = { [verified('cached')]: 1, [http('POST', '/mcp', 200)]: 1 }
  const reachesService = { ...always, [decision('reads', 'allowed')]: 1, [WAITED]: 1, [HIT]: 1 }

  it('when it succeeds', async () => {
    expect(await movedBy(read)).toEqual({
      ...reachesService,
      [operation(GET, '')]: 1,
      [clientCalls('ok')]: 1,
      [attempts('2xx')]: 1,
    })
  })

  it('when the service refuses it', async () => {
    desk.backend.answer((_asked, res) => {
      problem(res, 404, 'not_found')
    })
    expect(await movedBy(read)).toEqual({
      ...reachesService,
      [operation(GET, 'tool_error')]: 1,
      [failure(GET, 'not_found')]: 1,
      [clientCalls('failed')]: 1,
      [attempts('4xx')]: 1,
    })
  })

  it('when the service is down, each attempt and each repeat by itself', async () => {
    desk.backend.answer((_asked, res) => {
      problem(res, 503, 'unavailable')
    })
    expect(await movedBy(read)).toEqual({
      ...reachesService,
      [operation(GET, 'tool_error')]: 1,
      [failure(GET, 'backend_unavailable')]: 1,
      [clientCalls('failed')]: 1,
      [attempts('5xx')]: 3,
      [HIT]: 3,
      [RETRIED]: 2,
    })
    serveTicket()
  })

  it('when its client leaves before the answer', async () => {
    desk.backend.answer(() => undefined)
    const { metrics } = desk.gateway.gateway
    const [before, asked] = [await readSeries(metrics), desk.backend.asked.length]
    const client = new AbortController()
    const answer = fetch(desk.gateway.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${desk.tokens.alice}` },
      body: JSON.stringify(callOf(GET, { id: 'T-42' })),
      signal: client.signal,
    })
    await expect.poll(() => desk.backend.asked.length).toBe(asked + 1)
    client.abort()
    await expect(answer).rejects.toThrow()
    await expect
      .poll(async () => changesOf(before, await readSeries(metrics)))
      .toEqual({
        ...reachesService,
        [http('POST', '/mcp', 200)]: undefined,
        [http('POST', '/mcp', 499)]: 1,
        [operation(GET, 'tool_error')]: 1,
        [failure(GET, 'backend_unavailable')]: 1,
        [clientCalls('failed')]: 1,
        [attempts('cancelled')]: 1,
      })
    serveTicket()
  })

  it('when there is no such tool', async () => {
    expect(await movedBy(() => message('tools/call', { name: 'delete_everything' }))).toEqual({
      ...always,
      [decision('reads', 'allowed')]: 1,
      [operation('other', 'tool_error')]: 1,
      [failure('other', 'unknown_tool')]: 1,
      [clientCalls('failed')]: 1,
    })
  })

  it('when it is over its limit, and when it is far over it', async () => {
    await write()
    expect(await movedBy(write)).toEqual({
      ...always,
      [decision('writes', 'soft')]: 1,
      [operation(CLOSE, 'tool_error')]: 1,
      [failure(CLOSE, 'rate_limited')]: 1,
      [rejected('over_limit')]: 1,
      [clientCalls('limited')]: 1,
    })
    expect(await movedBy(write)).toEqual({
      [verified('cached')]: 1,
      [decision('writes', 'hard')]: 1,
      [rejected('over_ceiling')]: 1,
      [clientCalls('limited')]: 1,
      [http('POST', '/mcp', 429)]: 1,
    })
  })
})

describe('any other message moves its own series', () => {
  const always = { [verified('cached')]: 1, [http('POST', '/mcp', 200)]: 1 }

  it.each(['tools/list', 'ping', 'prompts/list', 'resources/list'])('%s', async (method) => {
    expect(await movedBy(() => message(method))).toEqual({ ...always, [operation('', '', method)]: 1 })
  })

  it('a notification', async () => {
    const notify = () =>
      desk.gateway.post({ jsonrpc: '2.0', method: 'notifications/initialized' }, desk.tokens.alice)
    expect(await movedBy(notify)).toEqual({
      [verified('cached')]: 1,
      [http('POST', '/mcp', 202)]: 1,
      [operation('', '', 'notifications/initialized')]: 1,
    })
  })

  it.each(ERAS)('an unknown method of %s, under the code of its error', async (_era, era) => {
    const { headers, body } = era('desk/delete')
    let status = 0
    const ask = async () => {
      status = (await desk.gateway.post(body, desk.tokens.alice, headers)).status
    }
    const moved = await movedBy(ask)
    expect(moved).toEqual({
      [verified('cached')]: 1,
      [http('POST', '/mcp', status)]: 1,
      [operation('', '-32601', 'other')]: 1,
    })
  })

  it('a subscription, whose stream is no request that takes long', async () => {
    const [, [, era]] = ERAS
    const { headers, body } = era('subscriptions/listen', { notifications: { toolsListChanged: true } })
    const subscribeAndPing = async () => {
      await (await desk.gateway.post(body, desk.tokens.alice, headers)).text()
      await message('ping')
    }
    expect(await movedBy(subscribeAndPing)).toEqual({
      [verified('cached')]: 2,
      [operation('', '', 'subscriptions/listen')]: 1,
      [operation('', '', 'ping')]: 1,
      [http('POST', '/mcp', 200)]: 1,
    })
  })

  it('a call that names no tool, as one that the protocol refused', async () => {
    expect(await movedBy(() => message('tools/call', {}))).toEqual({
      ...always,
      [operation('other', '-32602')]: 1,
    })
  })
})

describe('HTTP requests are counted by route and status', () => {
  it('with a token that does not hold', async () => {
    const forged = `${desk.tokens.alice.slice(0, -8)}AAAAAAAA`
    expect(await movedBy(() => desk.gateway.post({}, forged))).toEqual({
      [verified('refused')]: 1,
      [http('POST', '/mcp', 401)]: 1,
    })
  })

  it('whatever their path, and as strangers past the bound', async () => {
    const get = (path: string) => fetch(desk.gateway.origin + path)
    expect(await movedBy(() => get('/healthz/'))).toEqual({ [http('GET', '/healthz', 200)]: 1 })
    expect(await movedBy(() => get('/tickets/T-42'))).toEqual({ [http('GET', 'other', 404)]: 1 })
    await get('/')
    expect(await movedBy(() => get('/MCP'))).toEqual({
      [http('GET', '/mcp', 429)]: 1,
      desk_gateway_strangers_refused_total: 1,
    })
  })
})
