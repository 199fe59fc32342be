// A Redis that is there, and one that keeps its connections and answers nothing.
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
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

it('Redis whose first answer alone was held up is found well', async () => {
  let pings = 0
  /** Each command comes as an array of strings, which begins with a star. */
  const answer = async (socket: Socket, commands: string) => {
    for (const command of commands.split('*').slice(1)) {
      if (/\nping\r/i.test(command) && ++pings === 1) await sleep(150)
      socket.write(/\ninfo\r/i.test(command) ? '$0\r\n\r\n' : '+OK\r\n')
    }
  }
  const slowOnce = createServer((socket) => {
    socket.on('data', (data) => void answer(socket, data.toString()))
  }).listen(0, '127.0.0.1')
  await once(slowOnce, 'listening')
  const REDIS_URL = `redis://127.0.0.1:${(slowOnce.address() as AddressInfo).port}`
  expect((await examined({ ...variables, REDIS_URL }))['redis']).toMatchObject({ state: 'ok' })
  expect(pings).toBeGreaterThan(1)
  slowOnce.close()
})
