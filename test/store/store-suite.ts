// What every store must do, whatever the database. `open` returns an empty desk.
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Caller } from '../../backend-api/rules/caller.ts'
import { stamp } from '../../backend-api/rules/change.ts'
import type { TicketCommented, TicketCreated } from '../../backend-api/rules/change.ts'
import { ok, refuse } from '../../backend-api/rules/refusal.ts'
import type { DeskLoader, DeskReads, Store, TicketToLoad } from '../../backend-api/store/store.ts'
import type { Ticket } from '../../openapi/desk.gen.ts'

export interface OpenedStore {
  readonly store: Store & DeskLoader
  remove(): Promise<void>
}

const STAFF = { internal: true }
const CUSTOMER = { internal: false }
const FIRST = { after: null, limit: 20 }
const now = new Date('2026-03-02T10:00:00.000Z')
const carol: Caller = {
  id: 'carol',
  name: 'Carol Diaz',
  role: 'customer',
  scopes: new Set(),
  clientId: 'client',
}
const alice: Caller = { ...carol, id: 'alice', name: 'Alice Novak', role: 'staff' }

export function describeStore(name: string, open: () => Promise<OpenedStore>): void {
  describe(name, () => {
    let opened: OpenedStore
    let store: OpenedStore['store']
    beforeEach(async () => {
      opened = await open()
      store = opened.store
    })
    afterEach(() => opened.remove())

    const request = (caller: Caller, key?: string, at = now, fingerprint = 'same') => ({
      caller,
      view: { internal: caller.role !== 'customer' },
      now: at,
      key: key === undefined ? undefined : { value: key, fingerprint },
      requestId: 'request-1',
    })
    const ticket = (caller: Caller, subject = 'Printer', body = 'It is off.'): TicketCreated => ({
      type: 'ticket_created',
      subject,
      body,
      priority: 'normal',
      tags: ['one', 'two'],
      ...stamp(caller, now),
    })
    const create = (subject?: string, body?: string, key?: string, at?: Date, fingerprint?: string) =>
      store.write(request(carol, key, at, fingerprint), () =>
        Promise.resolve(ok(ticket(carol, subject, body))),
      )
    const created = async (subject?: string, body?: string): Promise<Ticket> => {
      const written = await create(subject, body)
      if (!written.ok) throw new Error('refused')
      return written.value.answer
    }
    const comment = (ticketId: string, body: string, visibility: 'public' | 'internal', caller = alice) =>
      store.write(request(caller), () =>
        Promise.resolve(
          ok<TicketCommented>({
            type: 'ticket_commented',
            ticketId,
            body,
            visibility,
            ...stamp(caller, now),
          }),
        ),
      )
    const found = async (query: string, view = STAFF) =>
      (await store.listTickets({ query }, FIRST, view)).rows.map(({ id }) => id)

    test('a created ticket reads back as it was answered, its tags in order', async () => {
      const answer = await created()
      expect(await store.findTicket(answer.id, STAFF)).toEqual(answer)
      expect(answer.tags).toEqual(['one', 'two'])
      expect(answer.requester).toEqual({ id: 'carol', name: 'Carol Diaz' })
    })

    test('an id beyond 64 bits is not found', async () => {
      expect(await store.findTicket('T-9223372036854775807', STAFF)).toBeUndefined()
      expect(await store.findTicket('T-9999999999999999999', STAFF)).toBeUndefined()
    })

    test('a refusal leaves nothing: no person, no key, no event', async () => {
      const written = await store.write(request(carol, 'key'), () =>
        Promise.resolve(refuse({ kind: 'ticket_not_found' })),
      )
      expect(written).toEqual(refuse({ kind: 'ticket_not_found' }))
      expect(await store.findPerson('carol')).toBeUndefined()
      expect(await store.lastEventId()).toBe('0')
      expect(await create(undefined, undefined, 'key')).toMatchObject({ value: { replayed: false } })
    })

    test('an error in the middle of a write leaves nothing, and the store goes on', async () => {
      const impossible = { ...ticket(carol), priority: 'soon' as 'low' }
      await expect(store.write(request(carol), () => Promise.resolve(ok(impossible)))).rejects.toThrow()
      expect(await store.findPerson('carol')).toBeUndefined()
      await expect(created()).resolves.toMatchObject({ subject: 'Printer' })
    })

    test.each([
      ['an empty subject', { subject: '' }],
      ['a subject over 200 characters', { subject: 'x'.repeat(201) }],
      ['a body over 8,000 characters', { body: 'x'.repeat(8001) }],
      ['a tag twice', { tags: ['a', 'a'] }],
    ])('the database itself refuses %s', async (_what, wrong) => {
      const write = store.write(request(carol), () => Promise.resolve(ok({ ...ticket(carol), ...wrong })))
      await expect(write).rejects.toThrow()
    })

    test('lengths count characters and not bytes or halves', async () => {
      const { id } = await created('😀'.repeat(200), '😀'.repeat(8000))
      await expect(comment(id, '😀'.repeat(4000), 'public')).resolves.toMatchObject({ ok: true })
    })

    test('of 50 concurrent writes with one key one is done, and all get its answer', async () => {
      const all = await Promise.all(Array.from({ length: 50 }, () => create('Once', 'Only once.', 'key')))
      const answers = all.map((written) => (written.ok ? written.value : undefined))
      expect(new Set(answers.map((value) => value?.answer.id)).size).toBe(1)
      expect(answers.filter((value) => value?.replayed === false)).toHaveLength(1)
      expect((await store.listTickets({}, FIRST, STAFF)).total).toBe(1)
    })

    test('another request under a used key is refused', async () => {
      await create(undefined, undefined, 'key')
      expect(await create(undefined, undefined, 'key', now, 'other')).toEqual(
        refuse({ kind: 'idempotency_key_reused' }),
      )
    })

    test('a key is free again after 24 hours, and not a moment before', async () => {
      await create(undefined, undefined, 'key')
      const before = new Date(now.getTime() + 24 * 3_600_000 - 1)
      const after = new Date(now.getTime() + 24 * 3_600_000)
      expect(await create(undefined, undefined, 'key', before)).toMatchObject({ value: { replayed: true } })
      expect(await create(undefined, undefined, 'key', after, 'other')).toMatchObject({
        value: { replayed: false },
      })
    })

    test('two callers may use the same key', async () => {
      await create(undefined, undefined, 'key')
      const other = await store.write(request(alice, 'key'), () => Promise.resolve(ok(ticket(alice))))
      expect(other).toMatchObject({ value: { replayed: false } })
    })

    test('an internal comment leaves no trace for a customer', async () => {
      const before = await created()
      await comment(before.id, 'the secret word', 'internal')
      expect(await store.findTicket(before.id, CUSTOMER)).toEqual(before)
      expect(await store.listComments(before.id, FIRST, CUSTOMER)).toEqual({ rows: [], total: 0, next: null })
      expect(await found('secret', CUSTOMER)).toEqual([])
      expect(await found('secret')).toEqual([before.id])
      expect(await store.findTicket(before.id, STAFF)).toMatchObject({ comment_count: 1 })
    })

    test('another write or read waits until a transaction is over', async () => {
      const seen: string[] = []
      const slow = store.write(request(carol), async (desk: DeskReads) => {
        seen.push('begin')
        for (let turn = 0; turn < 20; turn += 1) await desk.listStaff()
        await new Promise((resolve) => setTimeout(resolve, 20))
        seen.push('end')
        return ok(ticket(carol))
      })
      const people = store.findPerson('carol').then((person) => seen.push(`read ${person?.id ?? ''}`))
      const next = store.write(request(alice), () => {
        seen.push('next')
        return Promise.resolve(ok(ticket(alice)))
      })
      await Promise.all([slow, people, next])
      expect(seen.slice(0, 2)).toEqual(['begin', 'end'])
      expect(seen.slice(2).sort()).toEqual(['next', 'read carol'])
    })

    test('events are in the order of the commits, and a listener is called once for each write', async () => {
      let calls = 0
      const stop = store.onCommit(() => (calls += 1))
      const { id } = await created()
      await comment(id, 'Hello', 'public')
      await create(undefined, undefined, 'key')
      await create(undefined, undefined, 'key')
      stop()
      await created()
      expect(calls).toBe(3)
      const events = await store.listEvents('0', 10)
      expect(events.map(({ type }) => type)).toEqual([
        'ticket_created',
        'ticket_commented',
        'ticket_created',
        'ticket_created',
      ])
      expect(events[0]).toEqual({
        id: '1',
        type: 'ticket_created',
        ticket_id: id,
        actor_id: 'carol',
        client_id: 'client',
        created_at: now.toISOString(),
      })
      expect(await store.listEvents('2', 1)).toEqual([events[2]])
      expect(await store.lastEventId()).toBe('4')
    })

    test('all conditions of a filter hold at once, and the total counts all matches', async () => {
      for (let n = 0; n < 5; n += 1) await created(`Ticket ${n}`)
      const page = await store.listTickets({ tag: 'two', owner: 'carol' }, { after: null, limit: 2 }, STAFF)
      expect(page.rows.map(({ id }) => id)).toEqual(['T-5', 'T-4'])
      expect([page.total, page.next]).toEqual([5, '4'])
      expect((await store.listTickets({ tag: 'tw' }, FIRST, STAFF)).total).toBe(0)
      expect((await store.listTickets({ requester: 'carol', owner: 'erin' }, FIRST, STAFF)).total).toBe(0)
      expect((await store.listTickets({ status: 'open', priority: 'urgent' }, FIRST, STAFF)).total).toBe(0)
    })

    describe('search', () => {
      const TEXTS = {
        japanese: '東京オフィスのプリンターが動きません',
        chinese: '三楼的打印机坏了，请帮忙',
        thai: 'เครื่องพิมพ์ไม่ทำงาน',
        korean: '프린터가 작동하지 않습니다',
        russian: 'Принтер не печатает',
        arabic: 'الطابعة لا تعمل',
        greek: 'Ο εκτυπωτής δεν λειτουργεί',
        hindi: 'प्रिंटर काम नहीं कर रहा है',
        code: 'C++ build of foo-bar fails with "subject:x" AND 100%',
      }
      test.each([
        ['東京', 'japanese'],
        ['プリンター', 'japanese'],
        ['打印机', 'chinese'],
        ['เครื่องพิมพ์', 'thai'],
        ['프린터', 'korean'],
        ['ПРИНТЕР', 'russian'],
        ['الطابعة', 'arabic'],
        ['Εκτυπωτησ', 'greek'],
        ['प्रिंटर', 'hindi'],
        ['C++', 'code'],
        ['foo-bar', 'code'],
        ['"subject', 'code'],
        ['subject:x', 'code'],
        ['fails AND build', 'code'],
        ['100% *', 'code'],
      ])('%s is found inside the %s text and in no other', async (query, name) => {
        const ids = new Map<string, string>()
        for (const [which, body] of Object.entries(TEXTS)) ids.set(which, (await created('Title', body)).id)
        expect(await found(query)).toEqual([ids.get(name)])
      })

      test.each(['東大', '機印打', 'प', 'foo NEAR nothing', 'build OR nothing', 'NOT', 'subj*', 'body:code'])(
        'no part of a word and no operator finds anything: %s',
        async (query) => {
          for (const body of Object.values(TEXTS)) await created('Title', body)
          expect(await found(query)).toEqual([])
        },
      )

      test.each(['*', '"', '+-', '🖨️'])('a query without a word finds nothing: %s', async (query) => {
        await created('Anything', `* " +- 🖨️`)
        expect(await store.listTickets({ query }, FIRST, STAFF)).toEqual({ rows: [], total: 0, next: null })
      })

      test('the words may be in different texts of one ticket, but only in those that the caller may read', async () => {
        const { id } = await created('Printer', 'It is off.')
        await comment(id, 'Replaced the fuser', 'public')
        await comment(id, 'A known defect', 'internal')
        await created('Fuser', 'wanted')
        expect(await found('printer fuser', CUSTOMER)).toEqual([id])
        expect(await found('printer defect', CUSTOMER)).toEqual([])
        expect(await found('printer defect')).toEqual([id])
      })
    })

    test('a loaded desk has the rows, search documents and events that requests would leave', async () => {
      const loaded: TicketToLoad = {
        subject: 'Loaded',
        body: 'From elsewhere',
        priority: 'high',
        tags: ['b', 'a'],
        requesterId: 'carol',
        assigneeId: 'alice',
        createdAt: '2026-01-01T00:00:00.000Z',
        closed: { at: '2026-01-03T00:00:00.000Z', byId: 'alice', resolution: 'Done.' },
        comments: [
          {
            authorId: 'alice',
            body: 'quiet note',
            visibility: 'internal',
            createdAt: '2026-01-02T00:00:00.000Z',
          },
        ],
      }
      await created()
      const people = [carol, alice].map(({ id, name, role }) => ({ id, name, role }))
      expect(await store.load(people, new Array<TicketToLoad>(250).fill(loaded), 'seed')).toBe(250)
      expect(await store.findTicket('T-2', CUSTOMER)).toMatchObject({
        subject: 'Loaded',
        status: 'closed',
        tags: ['b', 'a'],
        updated_at: '2026-01-03T00:00:00.000Z',
        comment_count: 0,
      })
      expect((await store.listTickets({ query: 'quiet' }, FIRST, STAFF)).total).toBe(250)
      expect((await store.listTickets({ query: 'quiet' }, FIRST, CUSTOMER)).total).toBe(0)
      expect((await store.listEvents('1', 3)).map(({ type }) => type)).toEqual([
        'ticket_created',
        'ticket_commented',
        'ticket_closed',
      ])
      expect((await created()).id).toBe('T-252')
    })
  })
}
