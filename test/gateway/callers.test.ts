// Callers are kept apart: tokens, answers and identities never cross, however many call at once.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { decodeJwt } from 'jose'
import { startFaultyDesk, type FaultyDesk } from '../support/faulty-desk.ts'
import { errorOf, textOf } from '../support/gateway.ts'
import { ERAS, toolCall } from '../support/messages.ts'
import { json, problem, TICKET, TICKET_DETAIL, type Asked } from '../support/scripted-backend.ts'

let desk: FaultyDesk
beforeAll(async () => {
  desk = await startFaultyDesk()
})
afterAll(() => desk.close())
beforeEach(() => {
  desk.backend.asked.length = 0
})

function tokenIn({ headers }: Asked): string {
  return String(headers.authorization).replace('Bearer ', '')
}

describe('The token of the client', () => {
  it('is never passed on: the service gets one of its own that names the person and the gateway', async () => {
    desk.backend.answer((_asked, res) => {
      json(res, 200, TICKET_DETAIL)
    })
    for (const person of ['alice', 'carol', 'dave'] as const) {
      await desk.gateway.call('ticket_get', { id: 'T-42' }, desk.tokens[person])
      const asked = desk.backend.asked.at(-1)
      expect(asked && decodeJwt(tokenIn(asked))).toMatchObject({
        sub: person,
        aud: 'http://127.0.0.1:8081/v1',
        act: { sub: 'desk-gateway' },
      })
    }
    const everything = JSON.stringify(desk.backend.asked)
    for (const token of Object.values(desk.tokens)) expect(everything).not.toContain(token)
  })

  it('is in no log, nor is the one of the service', async () => {
    desk.backend.answer((_asked, res) => {
      problem(res, 500, 'internal')
    })
    await desk.gateway.call('ticket_get', { id: 'T-42' }, desk.tokens.alice)
    expect(desk.gateway.logged()).toContain('tool call')
    for (const token of [...Object.values(desk.tokens), ...desk.backend.asked.map(tokenIn)])
      for (const part of token.split('.').slice(1)) expect(desk.gateway.logged()).not.toContain(part)
  })

  it('is exchanged once for many calls', async () => {
    desk.backend.answer((_asked, res) => {
      json(res, 200, TICKET_DETAIL)
    })
    await Promise.all(
      Array.from({ length: 10 }, () => desk.gateway.call('ticket_get', { id: 'T-42' }, desk.tokens.alice)),
    )
    expect(new Set(desk.backend.asked.map(tokenIn)).size).toBe(1)
  })
})

describe('What one caller got', () => {
  it('is never given to another: each call is asked of the service as its own caller (C49)', async () => {
    desk.backend.answer((asked, res) => {
      if (decodeJwt(tokenIn(asked)).sub === 'alice')
        json(res, 200, TICKET_DETAIL, { 'cache-control': 'public, max-age=600', etag: '"1"' })
      else problem(res, 404, 'not_found', { detail: 'There is no such ticket.' })
    })
    const read = (token: string) => desk.gateway.call('ticket_get', { id: 'T-42' }, token)
    expect((await read(desk.tokens.alice)).structuredContent).toEqual(TICKET_DETAIL)
    const refused = await read(desk.tokens.carol)
    expect(errorOf(refused).class).toBe('not_found')
    expect(textOf(refused)).not.toContain('Printer')
    expect((await read(desk.tokens.alice)).structuredContent).toEqual(TICKET_DETAIL)
    expect(desk.backend.asked).toHaveLength(3)
  })
})

describe.each(ERAS)('Fifty clients of %s at once', (_era, era) => {
  it('that all use the id 1 each get their own answer (C54)', async () => {
    desk.backend.answer(({ url }, res) => {
      const id = url.split('/').at(-1)
      setTimeout(() => {
        json(res, 200, { ...TICKET_DETAIL, ticket: { ...TICKET, id } })
      }, Math.random() * 50)
    })
    const people = Object.values(desk.tokens)
    const answers = await Promise.all(
      Array.from({ length: 50 }, async (_, index) => {
        const { headers, body } = toolCall(era, 'ticket_get', { id: `T-${index + 1}` })
        const response = await desk.gateway.post(body, people[index % people.length], headers)
        return (await response.json()) as { id: number; result: { structuredContent: typeof TICKET_DETAIL } }
      }),
    )
    expect(answers.map(({ id }) => id)).toEqual(Array(50).fill(1))
    expect(answers.map(({ result }) => result.structuredContent.ticket.id)).toEqual(
      Array.from({ length: 50 }, (_, index) => `T-${index + 1}`),
    )
    for (const asked of desk.backend.asked) {
      const index = Number(asked.url.split('-').at(-1)) - 1
      expect(decodeJwt(tokenIn(asked)).sub).toBe(Object.keys(desk.tokens)[index % people.length])
    }
  })
})
