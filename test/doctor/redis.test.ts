// A Redis that is there, and one that keeps its connections and answers nothing.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { freePort } from '../support/desk.ts'
import { startRedis, type RunningRedis } from '../support/redis.ts'
import { examined } from './examined.ts'

let redis: RunningRedis
let variables: Record<string, string>
beforeAll(async () => {
  redis = await startRedis()
  const nowhere = `http://127.0.0.1:${await freePort()}`
  variables = {
    ISSUER: nowhere,
    CLIENT_SECRET: 'a secret of more than 16 characters',
    BACKEND_URL: nowhere,
    PUBLIC_URL: nowhere,
    REDIS_URL: redis.url,
  }
})
afterAll(() => redis.kill())

it('Redis that answers is found well, with its latency', async () => {
  expect((await examined(variables))['redis']).toMatchObject({
    state: 'ok',
    detail: expect.stringMatching(/answers in \d+ ms$/) as unknown,
  })
})

it('Redis that hangs is found out', async () => {
  redis.freeze()
  expect((await examined(variables))['redis']).toMatchObject({ state: 'wrong' })
  redis.resume()
})
