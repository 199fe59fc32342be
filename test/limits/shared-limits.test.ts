// Two gateways on one real Redis are one limit; without Redis each is its own, and no call fails or waits for it.
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connectRedis, type RedisConnection } from '../../src/gateway/limits/redis.ts'
import { createSharedTokenBuckets } from '../../src/gateway/limits/shared-token-buckets.ts'
import { createTokenBuckets, type Waits } from '../../src/gateway/limits/token-bucket.ts'
import { freePort } from '../support/desk.ts'
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

/** Calls in turn on both gateways. */
async function callInTurn(count: number, token: string, tool = 'ticket_get') {
  const results: CallResult[] = []
  for (let index = 0; index < count; index++) {
    const call = callerOf(gateways[index % gateways.length]?.url ?? '', token)
    results.push(await call(tool, { id: 'T-42' }))
  }
  return results
}

const both = (value: number) =>
  expect
    .poll(() => Promise.all(gateways.map((gateway) => gateway.metric(SHARED))), { timeout: 10_000 })
    .toEqual([value, value])

describe('A limit of ten on two gateways', () => {
  it('lets ten pass and refuses the eleventh, whichever it meets (C07)', async () => {
    const token = await tokenOf('alice')
    const passed = await callInTurn(10, token)
    expect(passed.filter(({ isError }) => isError)).toEqual([])
    for (const result of await callInTurn(4, token))
      expect(errorOf(result)).toMatchObject({ class: 'rate_limited', code: 'over_limit' })
    await both(1)
  })

  it('holds when all come at once', async () => {
    const token = await tokenOf('dave')
    const calls = gateways.flatMap(({ url }) => Array.from({ length: 15 }, () => callerOf(url, token)))
    const results = await Promise.all(calls.map((call) => call('ticket_get', { id: 'T-42' })))
    expect(results.filter(({ isError }) => !isError)).toHaveLength(10)
  })
})

describe('A Redis that', () => {
  // Writes have room for all of this; reads show whether the count is shared.
  const load = async (token: string, until: Promise<unknown>) => {
    let over = false
    void until.then(() => (over = true))
    const called: CallResult[] = []
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
    expect(called.filter(({ isError }) => isError)).toEqual([])
    const reads = await callInTurn(12, token)
    expect(reads.map(({ isError }) => isError ?? false)).toEqual([
      ...Array<boolean>(10).fill(false),
      true,
      true,
    ])
  }, 40_000)

  it('hangs makes no call fail', async () => {
    answerWrites()
    const token = await tokenOf('carol')
    const scene = async () => {
      redis.freeze()
      await both(0)
      await sleep(500)
      redis.resume()
      await both(1)
    }
    const called = await load(token, scene())
    expect(called.filter(({ isError }) => isError)).toEqual([])
  }, 40_000)
})

describe('Buckets of two replicas in Redis', () => {
  const FIRST_WAIT_MS = 100
  /** Of each replica. */
  const AT_ONCE = 25
  const connections: RedisConnection[] = []
  afterAll(() => {
    for (const connection of connections) connection.redis.disconnect()
  })
  function replica(url = redis.url) {
    const connection = connectRedis(url, () => undefined)
    connections.push(connection)
    const clock = { ms: 0 }
    const told: boolean[] = []
    const reasons: (string | undefined)[] = []
    const now = () => clock.ms
    const take = createSharedTokenBuckets({
      connection,
      alone: createTokenBuckets(now),
      now,
      onShared: (shared, reason) => {
        told.push(shared)
        reasons.push(reason)
      },
    })
    return { take, clock, told, reasons, redis: connection.redis }
  }

  it.each([1, 7, 10, 500])(
    'of %d let exactly so many pass and what is filled in meanwhile, however their calls interleave',
    async (limit) => {
      const replicas = [replica(), replica()]
      const sizes = { limit, ceiling: limit * 4 }
      const start = performance.now()
      const waits: Waits[] = []
      // A thousand at once would be a tenth of a second of work for Redis, after which each replica counts alone.
      for (let left = limit + 5; left > 0; left -= AT_ONCE)
        waits.push(
          ...(await Promise.all(
            Array.from({ length: Math.min(left, AT_ONCE) }, () =>
              replicas.map(({ take }) => take(`of ${limit}`, sizes)),
            ).flat(),
          )),
        )
      const filledIn = (size: number) => (size * (performance.now() - start)) / 60_000
      const passed = waits.filter(({ limitMs }) => limitMs === 0).length
      expect(passed).toBeGreaterThanOrEqual(limit)
      expect(passed).toBeLessThanOrEqual(limit + filledIn(limit))
      const over = waits.filter(({ ceilingMs }) => ceilingMs > 0).length
      const expected = Math.max(0, 2 * (limit + 5) - limit * 4)
      expect(over).toBeLessThanOrEqual(expected)
      expect(over).toBeGreaterThanOrEqual(expected - filledIn(limit * 4))
      expect(replicas.map(({ told }) => told)).toEqual([[true], [true]])
    },
  )

  it('fill evenly, and say how long that takes', async () => {
    const { take } = replica()
    const sizes = { limit: 200, ceiling: 800 }
    while ((await take('even', sizes)).limitMs === 0);
    await sleep((await take('even', sizes)).limitMs)
    expect((await take('even', sizes)).limitMs).toBe(0)
    const { limitMs } = await take('even', { limit: 0, ceiling: 800 })
    expect(limitMs).toBe(60_000)
  })

  it('are known not to be shared before Redis is reached, and say so once', async () => {
    const { take, told } = replica(`redis://127.0.0.1:${await freePort()}`)
    for (let call = 0; call < 3; call++)
      expect((await take('alone', { limit: 3, ceiling: 9 })).limitMs).toBe(0)
    expect((await take('alone', { limit: 3, ceiling: 9 })).limitMs).toBeGreaterThan(0)
    expect(told).toEqual([false])
  })

  it('that Redis is there for and refuses are told of with its reason', async () => {
    const { take, told, reasons, redis: client } = replica()
    await take('refused', { limit: 3, ceiling: 9 })
    await client.set('desk-gateway:refused', 'not a bucket')
    expect((await take('refused', { limit: 3, ceiling: 9 })).limitMs).toBe(0)
    expect(told).toEqual([true, false])
    expect(reasons).toEqual([undefined, expect.stringMatching(/^WRONGTYPE /)])
  })

  it('that hang are given up after two seconds, with the commands that they keep', async () => {
    const { take, redis: client } = replica()
    const sizes = { limit: 10, ceiling: 10 }
    await take('silent', sizes)
    expect(client.status).toBe('ready')
    redis.freeze()
    try {
      await take('silent', sizes)
      await expect.poll(() => client.status, { timeout: 5_000 }).not.toBe('ready')
    } finally {
      redis.resume()
    }
    await expect.poll(() => client.status, { timeout: 5_000 }).toBe('ready')
  })

  it('that hang cost one call its time-out, and the others of the next second nothing', async () => {
    const { take, clock, told } = replica()
    const sizes = { limit: 1_000, ceiling: 1_000 }
    const timed = async (calls: number) => {
      const start = performance.now()
      for (let call = 0; call < calls; call++) await take('hung', sizes)
      return performance.now() - start
    }
    await timed(1)
    redis.freeze()
    const first = await timed(1)
    const others = await timed(100)
    clock.ms += 1_000
    const next = await timed(1)
    redis.resume()
    expect(first).toBeGreaterThanOrEqual(FIRST_WAIT_MS - 1)
    expect(next).toBeGreaterThanOrEqual(FIRST_WAIT_MS - 1)
    expect(others).toBeLessThan(first)
    expect(told).toEqual([true, false])
    clock.ms += 1_000
    await timed(1)
    expect(told).toEqual([true, false, true])
  })
})
