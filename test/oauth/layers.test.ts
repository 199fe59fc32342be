// Two layers of authorisation on purpose: each is tested with the other one removed.
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { createBackend } from '../../src/backend/backend.ts'
import { createPool } from '../../src/backend/pool-request.ts'
import type { Caller } from '../../src/backend/caller.ts'
import { createCatalogue } from '../../src/tools/catalogue.ts'
import { registry } from '../../src/tools/registry.ts'
import { createRunner, type RunTool } from '../../src/tools/run-tool.ts'
import { startFaultyDesk } from '../support/faulty-desk.ts'
import { errorOf, type CallResult } from '../support/gateway.ts'
import { json } from '../support/scripted-backend.ts'
import { startService, type Service } from '../support/service.ts'

const CONTRACT: unknown = parse(readFileSync(new URL('../../openapi/desk.yaml', import.meta.url), 'utf8'))

const PART = { headers: {}, end: () => undefined }

describe('without the scope check of the gateway', () => {
  let service: Service
  let run: RunTool
  let carol: Caller
  beforeAll(async () => {
    service = await startService()
    const pool = createPool(new URL(service.url).origin)
    run = createRunner({
      // Every tool passes with any scope.
      catalogue: createCatalogue({
        namespace: 'acme_desk',
        contract: CONTRACT,
        tools: registry.map((tool) => ({ ...tool, scope: 'tickets:read' as const })),
      }),
      backend: createBackend({
        pool,
        basePath: '/v1',
        // Her own token for the service stands in for an exchanged one.
        credentials: {
          of: ({ token }) =>
            Promise.resolve({ kind: 'headers', headers: { authorization: `Bearer ${token}` } }),
          forget: () => undefined,
          size: () => 0,
        },
        breaker: (send) => send(),
        retry: (send) => send(),
        now: Date.now,
        onCredentialFault: () => undefined,
      }),
      timeoutMs: 5_000,
      mayUse: () => true,
      takePermit: () => Promise.resolve({ kind: 'allowed' }),
      enter: (_client, _signal, work) => work(),
      openCall: ({ requestId }) => ({
        requestId,
        mayWrite: () => true,
        begin: () => PART,
        end: () => undefined,
      }),
      onBug: () => undefined,
    })
    carol = {
      subject: 'carol',
      clientId: 'test-client',
      scopes: new Set(['tickets:read']),
      roles: ['customer'],
      name: undefined,
      token: await service.tokenOf('carol', { scope: 'tickets:read tickets:write desk:admin' }),
      actor: undefined,
      expiresAt: 2e9,
    }
  })
  afterAll(() => service.close())

  const call = async (tool: string, args: unknown): Promise<CallResult> =>
    run(`acme_desk__${tool}`, args, carol, { signal: new AbortController().signal, requestId: 'layers-test' })

  it('the service still refuses carol the export, although her token has the scope', async () => {
    expect(errorOf(await call('desk_export', {}))).toMatchObject({ class: 'forbidden', code: 'forbidden' })
  })

  it('the service still refuses her to close her own ticket', async () => {
    const filed = await call('ticket_create', { subject: 'Hers', body: 'Own.' })
    const { id } = (filed.structuredContent as { ticket: { id: string } }).ticket
    expect(errorOf(await call('ticket_close', { id, resolution: 'Done.' })).class).toBe('forbidden')
  })

  it('the service still refuses a token without the scope', async () => {
    const token = await service.tokenOf('dave', { scope: 'tickets:read' })
    const response = await fetch(`${service.url}/export`, { headers: { authorization: `Bearer ${token}` } })
    expect(response.status).toBe(403)
    expect(response.headers.get('www-authenticate')).toContain('scope="desk:admin"')
  })
})

describe('with a service that checks nothing', () => {
  it('the gateway still refuses carol the export, and the service is not even asked', async () => {
    const desk = await startFaultyDesk()
    desk.backend.answer((_asked, res) => {
      json(res, 200, { tickets: [], total: 0, next_cursor: null })
    })
    const params = { name: 'acme_desk__desk_export', arguments: {} }
    const response = await desk.gateway.post(
      { jsonrpc: '2.0', id: 1, method: 'tools/call', params },
      desk.tokens.carol,
    )
    expect(response.status).toBe(403)
    expect(desk.backend.asked).toEqual([])
    await desk.close()
  })
})
