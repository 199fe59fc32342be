// Two gateways on one real Redis are one limit; without Redis each is its own, and no call fails or waits for it.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { setTimeout as sleep } from 'node:timers/promises'
import { startGatewayProcess, type GatewayProcess } from '../support/gateway-process.ts'
import { errorOf, type CallResult } from '../support/gateway.ts'
import { GATEWAY, PASSWORD, startIdentity, type RunningIdentity } from '../support/identity.ts'
import { callerOf } from '../support/mcp-calls.ts'
import { startRedis, type RunningRedis } from '../support/redis.ts'
import {
  json,
  startScriptedBackend,
  TICKET_DETAIL,
  type ScriptedBackend,
} from '../support/scripted-backend.ts'
import { signIn } from '../support/sign-in.ts'

const SHARED = 'desk_gateway_limits_shared'

let redis: RunningRedis
let identity: RunningIdentity
let backend: ScriptedBackend
const gateways: GatewayProcess[] = []
beforeAll(async () => {
  redis = await startRedis()
  identity = await startIdentity()
  backend = await startScriptedBackend()
  backend.answer((_asked, res) => {
    json(res, 200, TICKET_DETAIL)
  })
  const variables = {
    REDIS_URL: redis.url,
    LIMIT_READS_PER_MINUTE: '10',
    LIMIT_WRITES_PER_MINUTE: '100000',
    LIMIT_HARD_FACTOR: '100',
  }
  const origins = { issuer: identity.issuer, backend: backend.url }
  gateways.push(
    ...(await Promise.all([
      startGatewayProcess(origins, variables),
      startGatewayProcess(origins, variables),
    ])),
  )
})
afterAll(async () => {
  await Promise.all(gateways.map((gateway) => gateway.kill('SIGKILL')))
  await backend.close()
  await identity.close()
  await redis.kill()
})

const tokenOf = async (person: string) =>
  (await signIn({ issuer: identity.issuer, resource: GATEWAY, person, password: PASSWORD })).accessToken

/** Calls in turn on both gateways; a call is timed in milliseconds. */
async function callInTurn(count: number, token: string, tool = 'ticket_get') {
  const called: { result: CallResult; ms: number }[] = []
  for (let index = 0; index < count; index++) {
    const call = callerOf(gateways[index % gateways.length]?.url ?? '', token)
    const start = performance.now()
    called.push({ result: await call(tool, { id: 'T-42' }), ms: performance.now() - start })
  }
  return called
}

const both = (value: number) =>
  expect
    .poll(() => Promise.all(gateways.map((gateway) => gateway.metric(SHARED))), { timeout: 10_000 })
    .toEqual([value, value])

describe('A limit of ten on two gateways', () => {
  it('lets ten pass and refuses the eleventh, whichever it meets (C07)', async () => {
    const token = await tokenOf('alice')
    const passed = await callInTurn(10, token)
    expect(passed.filter(({ result }) => result.isError)).toEqual([])
    for (const { result } of await callInTurn(4, token))
      expect(errorOf(result)).toMatchObject({ class: 'rate_limited', code: 'over_limit' })
    await both(1)
  })

  it('holds when all come at once', async () => {
    const token = await tokenOf('dave')
    const calls = gateways.flatMap(({ url }) => Array.from({ length: 15 }, () => callerOf(url, token)))
    const results = await Promise.all(calls.map((call) => call('ticket_get', { id: 'T-42' })))
    const passed = results.filter(({ isError }) => !isError).length
    expect(passed).toBeLessThanOrEqual(10)
    // A count that Redis confirmed too late is spent and not given.
    expect(passed).toBeGreaterThanOrEqual(8)
  })
})

describe('A Redis that', () => {
  // Writes have room for all of this; reads show whether the count is shared.
  const load = async (token: string, until: Promise<unknown>) => {
    let over = false
    void until.then(() => (over = true))
    const called: { result: CallResult; ms: number }[] = []
    const worker = async () => {
      while (!over) called.push(...(await callInTurn(2, token, 'ticket_reopen')))
    }
    await Promise.all(Array.from({ length: 8 }, worker))
    return called
  }
  const answerWrites = () => {
    backend.answer(({ method }, res) => {
      json(res, 200, method === 'GET' ? TICKET_DETAIL : TICKET_DETAIL.ticket)
    })
  }

  it('is killed under load makes no call fail, the metric says so, and limits are shared again when it is back', async () => {
    answerWrites()
    const token = await tokenOf('carol')
    const scene = async () => {
      await sleep(300)
      await redis.kill()
      await both(0)
      await sleep(300)
      await redis.start()
      await both(1)
      await sleep(200)
    }
    const called = await load(token, scene())
    expect(called.length).toBeGreaterThan(50)
    expect(called.filter(({ result }) => result.isError)).toEqual([])
    const reads = await callInTurn(12, token)
    expect(reads.map(({ result }) => result.isError ?? false)).toEqual([
      ...Array<boolean>(10).fill(false),
      true,
      true,
    ])
  }, 40_000)

  it('hangs makes no call fail, and few of them wait', async () => {
    answerWrites()
    const token = await tokenOf('carol')
    const scene = async () => {
      redis.freeze()
      await both(0)
      await sleep(1_500)
      redis.resume()
      await both(1)
    }
    const called = await load(token, scene())
    expect(called.filter(({ result }) => result.isError)).toEqual([])
    const slow = called.filter(({ ms }) => ms > 100)
    expect(slow.length).toBeLessThan(called.length / 4)
  }, 40_000)
})
