// A few seconds of a busy desk: good calls, wrong calls, a client over its limit, sign-ins, streams, a dead service.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Desk } from './desk.ts'
import { message2025, type Message } from './messages.ts'
import { signIn } from './sign-in.ts'

export const TRACE_ID = '4bf92f3577b34da6a3ce929d0e0e4736'
/** What CLIENT_POLICY_FILE says of the client of this load; a person is over the ceiling at twice the limit. */
export const POLICY = {
  limits: { small: { reads: 120, writes: 120, exports: 60 } },
  clients: { 'desk-local': { limits: 'small' } },
}
const ROUNDS = 5
const ROUND_MS = 700
const HIDDEN = `Printer${String.fromCodePoint(0xe0041, 0xe0042)} on fire\u202e`

type Person = 'alice' | 'bob' | 'carol' | 'dave' | 'erin'
export interface Load {
  /** Gives the answer's text, whatever it is. */
  readonly call: Call
  readonly say: (message: Message) => Promise<string>
}

type Call = (person: Person, tool: string, args: Record<string, unknown>) => Promise<string>

/** Ordinary work and ordinary mistakes. Each call is allowed to fail. */
export async function work(desk: Desk, { call, say }: Load): Promise<void> {
  const streams = await openStreams(desk)
  for (let round = 0; round < ROUNDS; round++) {
    const next = sleep(ROUND_MS)
    await Promise.all([useTools(call, round), makeMistakes(desk, call, round), speakMcp(say)])
    await next
  }
  await Promise.all(Array.from({ length: 320 }, () => call('erin', 'ticket_get', { id: 'T-1' })))
  for (const stream of streams) await stream.body?.cancel()
}

async function useTools(call: Call, round: number): Promise<void> {
  const id = { id: 'T-2' }
  const key = { idempotency_key: 'the-same-each-time' }
  await Promise.all([
    call('alice', 'tickets_search', { query: 'printer' }),
    call('carol', 'ticket_create', { subject: HIDDEN, body: `${HIDDEN} ${round}` }),
    call('carol', 'ticket_create', { subject: 'Once', body: 'Once only', ...key }),
    call('bob', 'ticket_comment', { ...id, body: 'Looking at it' }),
    call('bob', 'ticket_assign', { ...id, assignee: 'bob' }),
    call('dave', 'desk_export', {}),
  ])
  await call('alice', 'tickets_search', { query: 'fire' })
  await call('alice', 'ticket_close', { ...id, resolution: 'Done' })
  await call('alice', 'ticket_reopen', id)
}

async function makeMistakes(desk: Desk, call: Call, round: number): Promise<void> {
  const { issuer, password, serviceUrl, mcpUrl } = desk.environment
  await Promise.all([
    call('alice', 'no_such_tool', {}),
    call('alice', 'ticket_get', { id: 7, colour: 'red' }),
    call('alice', 'ticket_get', { id: 'T-999999' }),
    call('carol', 'ticket_close', { id: 'T-2', resolution: 'Mine' }),
    call('carol', 'desk_export', {}),
    fetch(mcpUrl, { method: 'POST' }),
    fetch(`${serviceUrl}/no/such/path`),
    fetch(`${serviceUrl}/tickets`),
    fetch(new URL('/readyz', mcpUrl)),
    round % 4 === 0 &&
      signIn({ issuer, resource: mcpUrl, person: 'bob', password: `${password}?` }).catch(() => undefined),
  ])
}

async function speakMcp(say: (message: Message) => Promise<string>): Promise<void> {
  const clientInfo = { name: 'load', version: '1' }
  await say(message2025('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo }))
  await say(message2025('tools/list'))
  await say(message2025('prompts/get', { name: 'no such prompt' }))
  await say(message2025('no/such/method'))
}

/** Kills the service, calls until the breaker opens, stays so until `seen`, and brings the service back. */
export async function killTheService(desk: Desk, { call }: Load, seen: () => Promise<void>): Promise<void> {
  const late = await signInAll(desk)
  await desk.service.kill('SIGKILL')
  let answer = ''
  const people = ['alice', 'bob', 'carol', 'dave'] as const
  for (let turn = 0; turn < 200 && !answer.includes('breaker_open'); turn++)
    answer = await call(people[turn % people.length] ?? 'bob', 'ticket_get', { id: 'T-1' })
  // Whose token was never exchanged needs the issuer, which is dead as well.
  await Promise.all([seen(), late.call('bob', 'ticket_get', { id: 'T-1' })])
  await desk.service.start()
  for (let turn = 0; turn < 50 && answer.includes('isError'); turn++) {
    await sleep(200)
    answer = await call('dave', 'tickets_search', { query: 'printer' })
  }
}

/** Everybody with a token of their own. */
export async function signInAll(desk: Desk): Promise<Load> {
  const people = ['alice', 'bob', 'carol', 'dave', 'erin'] as const
  const signedIn = await Promise.all(
    people.map(async (person) => [person, await desk.token(person)] as const),
  )
  const tokens = new Map<Person, string>(signedIn)
  const say = async ({ headers, body }: Message, person: Person = 'alice') => {
    const response = await fetch(desk.url, {
      method: 'POST',
      headers: {
        ...headers,
        'content-type': 'application/json',
        authorization: `Bearer ${tokens.get(person) ?? ''}`,
        traceparent: `00-${TRACE_ID}-00f067aa0ba902b7-01`,
      },
      body: JSON.stringify(body),
    })
    return response.text()
  }
  const call: Call = (person, name, args) =>
    say(message2025('tools/call', { name: `acme_desk__${name}`, arguments: args }), person)
  return { call, say: (message: Message) => say(message) }
}

/** Events of the service, as its web page reads them. */
async function openStreams(desk: Desk): Promise<Response[]> {
  const { serviceUrl } = desk.environment
  const token = await desk.token('alice', { resource: serviceUrl })
  return [await fetch(`${serviceUrl}/events`, { headers: { authorization: `Bearer ${token}` } })]
}
