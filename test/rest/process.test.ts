import { mkdtemp, rm } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openDatabase } from '../../backend-api/store/sqlite/database.ts'
import type { CreatedTicket, TicketPage } from '../../openapi/desk.gen.ts'
import { clientWith } from '../support/desk-client.ts'
import { exitOf, spawnMain, spawnService } from '../support/service-process.ts'
import { AUDIENCE, claimsOf } from '../support/service.ts'
import { startTestIssuer } from '../support/test-issuer.ts'
import type { TestIssuer } from '../support/test-issuer.ts'

let issuer: TestIssuer
let folder: string
let identity: { Authorization: string }
beforeAll(async () => {
  issuer = await startTestIssuer()
  folder = await mkdtemp(join(tmpdir(), 'desk-process-'))
  identity = { Authorization: `Bearer ${await issuer.sign({ ...claimsOf('carol'), aud: AUDIENCE })}` }
})
afterAll(async () => {
  await issuer.close()
  await rm(folder, { recursive: true })
})
const environment = (name: string) => ({ ISSUER: issuer.issuer, DATABASE_PATH: join(folder, name) })

test('after a kill in the middle of 200 writes every answered write is there, and none is half there', async () => {
  const database = 'crash.sqlite'
  const first = await spawnService(environment(database))
  const client = clientWith(first.url, identity)
  const answered = new Map<string, string>()
  const writes = Array.from({ length: 200 }, async (_, n) => {
    const key = `write-${n}`
    const reply = await client.post<CreatedTicket>('/tickets', {
      body: { subject: `Word${n}`, body: 'Off.' },
      key,
    })
    answered.set(key, reply.body.ticket.id)
    if (answered.size === 60) first.child.kill('SIGKILL')
  })
  const settled = await Promise.allSettled(writes)
  expect(await exitOf(first.child)).toBe('SIGKILL')
  expect(settled.some(({ status }) => status === 'rejected')).toBe(true)

  const second = await spawnService(environment(database))
  const again = clientWith(second.url, identity)
  for (const [key, id] of answered) {
    const n = key.slice('write-'.length)
    const reply = await again.post<CreatedTicket>('/tickets', {
      body: { subject: `Word${n}`, body: 'Off.' },
      key,
    })
    expect(reply.body).toMatchObject({ created: false, ticket: { id } })
    expect((await again.get<TicketPage>(`/tickets?query=word${n}`)).body.tickets).toMatchObject([{ id }])
  }
  second.child.kill('SIGTERM')
  expect(await exitOf(second.child)).toBe(0)

  const db = openDatabase(join(folder, database))
  const counts = await sql<Record<string, bigint>>`select
    (select count(*) from tickets) as tickets,
    (select count(*) from events) as events,
    (select count(*) from idempotency_keys where answer is not null) as answers,
    (select count(*) from search_documents) as documents,
    (select count(*) from search_index_docsize) as indexed`.execute(db)
  expect(new Set(Object.values(counts.rows[0] ?? {})).size).toBe(1)
  await sql`insert into search_index (search_index) values ('integrity-check')`.execute(db)
  expect((await sql<{ integrity_check: string }>`pragma integrity_check`.execute(db)).rows).toEqual([
    { integrity_check: 'ok' },
  ])
  await db.destroy()
}, 60_000)

test('SIGTERM lets a request in flight finish, takes no new connection, and exits 0', async () => {
  const service = await spawnService(environment('drain.sqlite'))
  const url = new URL(`${service.url}/tickets`)
  const body = JSON.stringify({ subject: 'Printer', body: 'Off.' })
  const inFlight = request(url, {
    method: 'POST',
    headers: { ...identity, 'Content-Type': 'application/json', 'Content-Length': body.length },
  })
  const answered = new Promise<[number | undefined, string | undefined]>((resolve, reject) => {
    inFlight.once('error', reject)
    inFlight.once('response', (response) => {
      response.resume()
      resolve([response.statusCode, response.headers.connection])
    })
  })
  inFlight.write(body.slice(0, 10))
  await new Promise((resolve) => setTimeout(resolve, 300))
  service.child.kill('SIGTERM')
  await expect.poll(() => service.log()).toContain('stopping')
  await expect(fetch(`${service.url}/healthz`)).rejects.toThrow()
  inFlight.end(body.slice(10))
  expect((await answered)[0]).toBe(201)
  expect(await exitOf(service.child)).toBe(0)
})

test('what keeps the service from starting is said with the variable to change', async () => {
  const unset = spawnMain({ PORT: 'x', AUDIENCE: '', ISSUER: '' })
  expect(await exitOf(unset.child)).toBe(1)
  for (const name of ['PORT', 'AUDIENCE', 'ISSUER']) expect(unset.log()).toContain(`  ${name} must be`)

  const running = await spawnService(environment('port.sqlite'))
  const { port } = new URL(running.url)
  const second = spawnMain({ ...environment('port2.sqlite'), PORT: port })
  expect(await exitOf(second.child)).toBe(1)
  expect(second.log()).toContain(`Port ${port} is in use. Stop what uses it, or set PORT to another one.`)
  running.child.kill('SIGINT')
  expect(await exitOf(running.child)).toBe(0)
})
