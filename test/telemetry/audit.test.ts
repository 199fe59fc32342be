// Who did what through which client: a line for each tool call that reached authorisation, and no word of a ticket.
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startFaultyDesk, type FaultyDesk } from '../support/faulty-desk.ts'
import { errorOf, startGateway } from '../support/gateway.ts'
import { message2025, toolCall } from '../support/messages.ts'
import { json, TICKET, TICKET_DETAIL } from '../support/scripted-backend.ts'

const folder = mkdtempSync(join(tmpdir(), 'audit-'))
const path = join(folder, 'audit.jsonl')
const full = join(folder, 'full.jsonl')

let desk: FaultyDesk
let required: FaultyDesk
beforeAll(async () => {
  symlinkSync('/dev/full', full)
  desk = await startFaultyDesk({ AUDIT_FILE: path, LIMIT_EXPORTS_PER_MINUTE: '0' })
  required = await startFaultyDesk({ AUDIT_FILE: full, AUDIT_REQUIRED: 'true' })
  for (const { backend } of [desk, required])
    backend.answer(({ method }, res) => {
      json(res, 200, method === 'GET' ? TICKET_DETAIL : TICKET)
    })
})
afterAll(async () => {
  await desk.close()
  await required.close()
  rmSync(folder, { recursive: true })
})

type Line = Readonly<Record<string, string>>

const linesOf = (file: string) =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Line)
const lastLine = () => linesOf(path).at(-1)

describe('The audit', () => {
  it('says who called what through which client, for whom, on which ticket, and what came of it', async () => {
    const { alice } = desk.tokens
    await desk.gateway.call('ticket_get', { id: 'T-42' }, alice)
    expect(lastLine()).toEqual({
      audit: 'tool_call',
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/) as string,
      request_id: expect.any(String) as string,
      actor: expect.any(String) as string,
      client: lastLine()?.['actor'],
      user: 'alice',
      tool: 'acme_desk__ticket_get',
      target: 'T-42',
      arguments: expect.stringMatching(/^sha256:[0-9a-f]{64}$/) as string,
      decision: 'allowed',
      outcome: 'ok',
    })
  })

  it('names the ticket that a call made, and the request id that a failed call tells', async () => {
    const { alice } = desk.tokens
    desk.backend.answer((_asked, res) => {
      json(res, 201, { ticket: TICKET, created: true })
    })
    await desk.gateway.call('ticket_create', { subject: 'Quince', body: 'Marmalade' }, alice)
    expect(lastLine()).toMatchObject({ tool: 'acme_desk__ticket_create', target: TICKET.id, outcome: 'ok' })
    const failed = await desk.gateway.call('ticket_comment', { id: 'T-42' }, alice)
    expect(lastLine()).toMatchObject({
      outcome: 'invalid_arguments',
      request_id: errorOf(failed).request_id,
    })
    expect(failed.content[0]?.text).toContain(`Request id: ${errorOf(failed).request_id}`)
    expect(readFileSync(path, 'utf8')).not.toMatch(/Quince|Marmalade/)
  })

  it('has one digest for the same arguments in whatever order, and another for others', async () => {
    const { alice } = desk.tokens
    const digestOf = async (args: unknown) => {
      await desk.gateway.call('ticket_create', args, alice)
      return lastLine()?.['arguments']
    }
    const digest = await digestOf({ subject: 'a', body: 'b' })
    expect(await digestOf({ body: 'b', subject: 'a' })).toBe(digest)
    expect(await digestOf({ subject: 'a', body: 'c' })).not.toBe(digest)
  })

  it('has a line for a call without its scope, and for one over its limit', async () => {
    const { alice, dave } = desk.tokens
    const refused = await desk.gateway.post(toolCall(message2025, 'desk_export', {}).body, alice)
    expect(refused.status).toBe(403)
    expect(lastLine()).toMatchObject({
      request_id: refused.headers.get('x-request-id'),
      user: 'alice',
      tool: 'acme_desk__desk_export',
      decision: 'denied',
      outcome: 'forbidden',
      code: 'insufficient_scope',
    })
    await desk.gateway.call('desk_export', {}, dave)
    expect(lastLine()).toMatchObject({ user: 'dave', decision: 'allowed', outcome: 'rate_limited' })
  })

  it('has a line for arguments that are nested deeper than the call stack', async () => {
    const { alice } = desk.tokens
    const nested = '['.repeat(100_000) + ']'.repeat(100_000)
    const callOf = (tool: string) =>
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"acme_desk__${tool}","arguments":{"id":"T-7","x":${nested}}}}`
    const denied = await desk.gateway.post(callOf('desk_export'), alice)
    expect(denied.status).toBe(403)
    expect(lastLine()).toMatchObject({ tool: 'acme_desk__desk_export', decision: 'denied', target: 'T-7' })
    const answer = await (await desk.gateway.post(callOf('ticket_get'), alice)).text()
    expect(answer).toContain('[invalid_arguments]')
    expect(lastLine()).toMatchObject({ tool: 'acme_desk__ticket_get', outcome: 'invalid_arguments' })
  })

  it('has none for a tool that does not exist, nor for a list', async () => {
    const before = linesOf(path).length
    await desk.gateway.call('ticket_burn', {}, desk.tokens.alice)
    await desk.gateway.post({ jsonrpc: '2.0', id: 1, method: 'tools/list' }, desk.tokens.alice)
    expect(linesOf(path)).toHaveLength(before)
  })

  it('that cannot be opened stops the start and names AUDIT_FILE', async () => {
    const variables = { ISSUER: 'http://127.0.0.1:9/identity', CLIENT_SECRET: 'x'.repeat(32) }
    const start = startGateway({ ...variables, AUDIT_FILE: join(folder, 'missing', 'audit') })
    await expect(start).rejects.toThrow(/AUDIT_FILE: .*ENOENT/)
    const without = startGateway({ ...variables, AUDIT_REQUIRED: 'true' })
    await expect(without).rejects.toThrow(/AUDIT_REQUIRED: .*AUDIT_FILE/)
  })
})

describe('An audit that is required and cannot be written', () => {
  it('refuses writes and says so, lets reads pass, and takes up every line when it can be written again', async () => {
    const { gateway, backend, tokens } = required
    backend.asked.length = 0
    const write = await gateway.call('ticket_reopen', { id: 'T-42' }, tokens.alice)
    expect(errorOf(write)).toMatchObject({ class: 'backend_unavailable', code: 'audit_unavailable' })
    expect(write.content[0]?.text).toContain('Nothing was changed')
    expect(backend.asked).toEqual([])
    const read = await gateway.call('ticket_get', { id: 'T-42' }, tokens.alice)
    expect(read.isError).toBeUndefined()
    expect(gateway.logged()).toMatch(/"level":50.*"code":"ENOSPC".*the audit cannot be written/)
    const metrics = await gateway.gateway.metrics.registry.metrics()
    expect(metrics).toMatch(/desk_gateway_audit_lines_total\{result="failed"\} [1-9]/)

    rmSync(full)
    await expect
      .poll(() => gateway.call('ticket_reopen', { id: 'T-42' }, tokens.alice))
      .not.toHaveProperty('isError')
    expect(existsSync(full)).toBe(true)
    const outcomes = linesOf(full).map(({ tool, outcome }) => `${tool} ${outcome}`)
    expect(outcomes.slice(0, 3)).toEqual([
      'acme_desk__ticket_reopen pending',
      'acme_desk__ticket_reopen backend_unavailable',
      'acme_desk__ticket_get ok',
    ])
    // A write that is sent has a line before it, so that none can be without.
    expect(outcomes.slice(-2)).toEqual(['acme_desk__ticket_reopen pending', 'acme_desk__ticket_reopen ok'])
  })
})

it('Lines that were kept are written when the gateway stops', async () => {
  const place = join(folder, 'late.jsonl')
  symlinkSync('/dev/full', place)
  const stopping = await startFaultyDesk({ AUDIT_FILE: place })
  await stopping.gateway.call('ticket_get', { id: 'T-42' }, stopping.tokens.alice)
  rmSync(place)
  // By the clock of the file, which looks for another one of its name once a second.
  await sleep(1_000)
  await stopping.close()
  expect(linesOf(place)).toMatchObject([{ tool: 'acme_desk__ticket_get' }])
})
