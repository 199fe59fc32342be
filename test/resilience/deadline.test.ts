// A call ends at its deadline wherever it waits, and with its caller, in both eras and over stdio.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { afterEach, describe, expect, it } from 'vitest'
import { startDeadline } from '../../src/tools/deadline.ts'
import { programOf } from '../support/compiled.ts'
import { hang } from '../support/backend-faults.ts'
import { startFaultyDesk, type FaultyDesk } from '../support/faulty-desk.ts'
import { errorOf, GATEWAY_AUDIENCE, startGateway, textOf } from '../support/gateway.ts'
import { GATEWAY, GATEWAY_SECRET, PASSWORD, SERVICE, startIdentity } from '../support/identity.ts'
import { startScriptedBackend, type Asked } from '../support/scripted-backend.ts'
import { signIn } from '../support/sign-in.ts'

const DEADLINE_MS = 400

const closing: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

async function startDeskOf(variables: Record<string, string>): Promise<FaultyDesk> {
  const desk = await startFaultyDesk(variables)
  closing.push(() => desk.close())
  return desk
}

describe('The deadline', () => {
  it('covers the wait for room', async () => {
    const desk = await startDeskOf({
      CALL_TIMEOUT_MS: String(DEADLINE_MS),
      MAX_CALLS_IN_FLIGHT_PER_CLIENT: '1',
    })
    desk.backend.answer(hang)
    // An export has a longer deadline, so its room is taken until the test is over.
    const held = desk.gateway.call('desk_export', {}, desk.tokens.dave).catch(() => undefined)
    await expect.poll(() => desk.backend.asked.length).toBe(1)
    const start = performance.now()
    const waiting = await desk.gateway.call('ticket_reopen', { id: 'T-42' }, desk.tokens.dave)
    expect(performance.now() - start).toBeLessThan(DEADLINE_MS + 500)
    expect(errorOf(waiting)).toMatchObject({ class: 'backend_unavailable', code: 'not_reached' })
    expect(textOf(waiting)).toContain('Nothing was changed')
    expect(desk.backend.asked).toHaveLength(1)
    desk.gateway.gateway.server.closeAllConnections()
    await held
  })

  it('covers the token exchange', async () => {
    const { issuer, token } = await startIssuerWithoutExchange()
    const backend = await startScriptedBackend()
    closing.push(() => backend.close())
    const gateway = await startGateway({
      ISSUER: issuer,
      CLIENT_SECRET: GATEWAY_SECRET,
      BACKEND_URL: backend.url,
      CALL_TIMEOUT_MS: String(DEADLINE_MS),
    })
    closing.push(() => gateway.close())
    const start = performance.now()
    const result = await gateway.call('ticket_reopen', { id: 'T-42' }, token)
    expect(performance.now() - start).toBeLessThan(DEADLINE_MS + 500)
    expect(errorOf(result)).toMatchObject({ class: 'backend_unavailable', code: 'not_reached' })
    expect(backend.asked).toEqual([])
  })

  it('of a tool may be longer than that of the configuration', async () => {
    const desk = await startDeskOf({ CALL_TIMEOUT_MS: String(DEADLINE_MS) })
    const arrived = new Promise<Asked>((resolve) => {
      desk.backend.answer(resolve)
    })
    const leave = new AbortController()
    const params = { name: 'acme_desk__desk_export', arguments: {} }
    const call = fetch(desk.gateway.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${desk.tokens.dave}` },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
      signal: leave.signal,
    }).catch(() => 'left')
    const { aborted } = await arrived
    expect(await Promise.race([aborted.then(() => 'over'), sleep(DEADLINE_MS * 2, 'still there')])).toBe(
      'still there',
    )
    leave.abort()
    expect(await call).toBe('left')
    await aborted
  })
})

describe('A deadline', () => {
  it('ends with a TimeoutError, or for the reason of the caller, and leaves no listener behind', async () => {
    const late = startDeadline(new AbortController().signal, 1)
    await once(late.signal, 'abort')
    expect((late.signal.reason as Error).name).toBe('TimeoutError')

    const caller = new AbortController()
    const cancelled = startDeadline(caller.signal, 10_000)
    const ended = startDeadline(caller.signal, 10_000)
    ended.end()
    caller.abort('gone')
    expect(cancelled.signal.reason).toBe('gone')
    expect(ended.signal.aborted).toBe(false)
    expect(startDeadline(caller.signal, 10_000).signal.aborted).toBe(true)
    cancelled.end()
  })
})

describe('A cancelled call over stdio', () => {
  it('ends the request to the service within a second', async () => {
    const identity = await startIdentity()
    const backend = await startScriptedBackend()
    closing.push(
      () => identity.close(),
      () => backend.close(),
    )
    const { accessToken } = await signIn({
      issuer: identity.issuer,
      resource: GATEWAY,
      person: 'alice',
      password: PASSWORD,
    })
    const arrived = new Promise<Asked>((resolve) => {
      backend.answer(resolve)
    })
    const child = spawn(process.execPath, programOf('src/stdio.ts'), {
      cwd: join(import.meta.dirname, '../..'),
      stdio: ['pipe', 'ignore', 'ignore'],
      env: {
        PATH: process.env['PATH'],
        ISSUER: identity.issuer,
        CLIENT_SECRET: GATEWAY_SECRET,
        BACKEND_URL: backend.url,
        BACKEND_AUDIENCE: SERVICE,
        ACCESS_TOKEN: accessToken,
      },
    })
    closing.push(async () => {
      child.kill('SIGKILL')
      await once(child, 'exit')
    })
    const say = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
    const clientInfo = { name: 'raw', version: '1' }
    say({
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo },
    })
    say({ method: 'notifications/initialized' })
    say({
      id: 2,
      method: 'tools/call',
      params: { name: 'acme_desk__ticket_get', arguments: { id: 'T-42' } },
    })
    const { aborted } = await arrived
    const start = performance.now()
    say({ method: 'notifications/cancelled', params: { requestId: 2 } })
    await aborted
    expect(performance.now() - start).toBeLessThan(1_000)
  })
})

/** An issuer whose tokens can be checked and whose token endpoint never answers. */
async function startIssuerWithoutExchange() {
  const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true })
  const keys = { keys: [{ ...(await exportJWK(publicKey)), kid: 'k', alg: 'ES256' }] }
  const server = createServer((req, res) => {
    if (req.url === '/jwks') res.end(JSON.stringify(keys))
    else if (req.url !== '/token')
      res.end(JSON.stringify({ issuer, jwks_uri: `${issuer}/jwks`, token_endpoint: `${issuer}/token` }))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  closing.push(async () => {
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  })
  const token = await new SignJWT({ scope: 'tickets:read tickets:write', client_id: 'c' })
    .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: 'k' })
    .setIssuer(issuer)
    .setAudience(GATEWAY_AUDIENCE)
    .setSubject('alice')
    .setExpirationTime('5m')
    .sign(privateKey)
  return { issuer, token }
}
