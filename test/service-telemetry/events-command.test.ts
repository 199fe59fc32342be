import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parseEventsArguments } from '../../backend-api/events/arguments.ts'
import { readHistory } from '../../backend-api/events/history.ts'
import { linesOf } from '../../backend-api/events/lines.ts'
import type { EventSearch, TracedEvent } from '../../backend-api/store/events.ts'
import type { CreatedTicket, Event } from '../../openapi/desk.gen.ts'
import { query } from '../support/database.ts'
import { as } from '../support/desk-client.ts'
import { startService } from '../support/service.ts'
import type { Service } from '../support/service.ts'

const MAIN = fileURLToPath(new URL('../../backend-api/events/main.ts', import.meta.url))
let service: Service
let folder: string
beforeAll(async () => {
  service = await startService()
  folder = await mkdtemp(join(tmpdir(), 'desk-events-'))
})
afterAll(async () => {
  await service.close()
  await rm(folder, { recursive: true })
})

const run = (...args: string[]) =>
  promisify(execFile)(process.execPath, ['--import', 'tsx', MAIN, ...args], {
    env: { PATH: process.env['PATH'], DATABASE_PATH: service.databasePath },
  })

test('the history of a ticket names who, through which client and by which request, while the desk is served', async () => {
  const carol = await as(service, 'carol')
  const alice = await as(service, 'alice')
  const body = { subject: 'Printer', body: 'Off.' }
  const by = (id: string) => ({ 'X-Request-Id': id })
  const created = await carol.post<CreatedTicket>('/tickets', { body, key: 'once', headers: by('request-a') })
  // A repeat changes nothing, so it is no event.
  await carol.post('/tickets', { body, key: 'once', headers: by('request-b') })
  const { id } = created.body.ticket
  const resolution = 'A secret resolution.'
  await alice.post(`/tickets/${id}/close`, { body: { resolution }, headers: by('request-c') })

  const { stdout } = await run(id)
  const [heading, ...rows] = stdout.trimEnd().split('\n')
  expect(heading?.split(/ +/)).toEqual(['when', 'ticket', 'what', 'who', 'through', 'request'])
  expect(rows.map((row) => row.split(/ +/).slice(1))).toEqual([
    [id, 'created', 'carol', 'test-client', 'request-a'],
    [id, 'closed', 'alice', 'test-client', 'request-c'],
  ])
  expect(new Set([heading, ...rows].map((line) => line?.indexOf('request'))).size).toBe(1)
  expect(stdout).not.toContain(resolution)

  const found = await run('--request', 'request-c', '--json')
  expect(JSON.parse(found.stdout)).toMatchObject({ ticket_id: id, type: 'ticket_closed', actor_id: 'alice' })
  // What goes over the wire is the contract's Event and no more.
  const [event] = await service.store.listEvents('0', 1)
  const wire: (keyof Event)[] = ['actor_id', 'client_id', 'created_at', 'id', 'ticket_id', 'type']
  expect(Object.keys(event ?? {}).sort()).toEqual(wire)
})

test('what cannot be shown is said, and nothing is made', async () => {
  const of = (path: string, search: EventSearch = { ticketId: 'T-999' }) => readHistory(path, search)
  const missing = join(folder, 'nowhere.sqlite')
  await expect(of(missing)).rejects.toThrow(`${missing} cannot be read as a desk`)
  expect(existsSync(missing)).toBe(false)
  const empty = join(folder, 'empty.sqlite')
  await writeFile(empty, '')
  await expect(of(empty)).rejects.toThrow('start the ticket service once')
  await expect(of(service.databasePath)).rejects.toThrow('has no ticket T-999')
  await expect(of(service.databasePath, { requestId: 'request-z' })).rejects.toThrow('No change')
  await expect(run('T-999')).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringContaining('T-999') as unknown,
  })
})

test.each([
  [[], 'Name one ticket, or one request.'],
  [['T-1', '--request', 'x'], 'Name one ticket, or one request.'],
  [['T-1', 'T-2'], 'Name one ticket, or one request.'],
  [['7'], '"7" is no ticket'],
  [['T-1', '--colour'], 'Unknown option'],
])('an odd command line is refused with the usage: %j', (args, words) => {
  expect(() => parseEventsArguments(args)).toThrow(words)
  expect(() => parseEventsArguments(args)).toThrow('Usage: npm run events')
})

test('a client cannot write to the terminal of who reads', () => {
  const event: TracedEvent = {
    ...{ id: '1', type: 'ticket_created', ticket_id: 'T-1', actor_id: 'carol' },
    ...{ client_id: 'evil\u001b[2J\n\u202ex', created_at: '2026-03-02T10:00:00.000Z', request_id: null },
  }
  expect(linesOf([event])[1]).toMatch(/ {2}evil\?\[2J\?\?x +-$/)
})

test('a database looks for a ticket’s events by index', () => {
  const plan = query(
    service.databasePath,
    `explain query plan select * from events where ticket_id = 1 order by id desc limit 5`,
  )
  expect(JSON.stringify(plan)).toContain('events_by_ticket')
})
