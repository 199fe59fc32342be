import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createClientPolicy } from '../../src/client-policy.ts'
import { programOf } from '../support/compiled.ts'
import { freePort } from '../support/desk.ts'
import { errorOf, GATEWAY_AUDIENCE, startGateway, textOf } from '../support/gateway.ts'
import { callerOf } from '../support/mcp-calls.ts'
import { startTestIssuer, type TestIssuer } from '../support/test-issuer.ts'

const TOOLS = ['tickets_search', 'ticket_get', 'ticket_close']

let folder: string
let file: string
let issuer: TestIssuer
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'policy-'))
  file = join(folder, 'policy.json')
  issuer = await startTestIssuer()
})
afterAll(async () => {
  await issuer.close()
  await rm(folder, { recursive: true })
})

const write = (policy: unknown) =>
  writeFile(file, typeof policy === 'string' ? policy : JSON.stringify(policy))
const policyOf = async (policy: unknown) => {
  await write(policy)
  return createClientPolicy(file, TOOLS)
}

describe('the client policy', () => {
  it('lets every client use every tool when there is no file', () => {
    const policy = createClientPolicy(undefined, TOOLS)
    expect(TOOLS.map((tool) => policy.mayUse('anybody', tool))).toEqual([true, true, true])
    expect(policy.limitsOf('anybody')).toBeUndefined()
  })

  it('lets a listed client use its tools only, and the others what the default says', async () => {
    const policy = await policyOf({
      default: { tools: ['ticket_get'] },
      clients: { reader: { tools: ['tickets_search'] }, helper: {} },
    })
    const allowed = (client: string) => TOOLS.filter((tool) => policy.mayUse(client, tool))
    expect(allowed('reader')).toEqual(['tickets_search'])
    expect(allowed('helper')).toEqual(TOOLS)
    expect(allowed('stranger')).toEqual(['ticket_get'])
    expect(allowed('constructor')).toEqual(['ticket_get'])
  })

  it('gives a client the limits of its class', async () => {
    const small = { reads: 10, writes: 2, exports: 1 }
    const policy = await policyOf({ limits: { small }, clients: { bot: { limits: 'small' } } })
    expect(policy.limitsOf('bot')).toEqual(small)
    expect(policy.limitsOf('other')).toBeUndefined()
  })

  it.each([
    ['a file that is missing', undefined, /cannot be read/],
    ['a file that is not JSON', '{', /is not valid JSON/],
    [
      'an unknown tool',
      { clients: { a: { tools: ['ticket_destroy'] } } },
      /clients\.a\.tools: there is no tool ticket_destroy/,
    ],
    ['an unknown class', { default: { limits: 'huge' } }, /default\.limits: there is no class huge/],
    ['a misspelt key', { client: {} }, /client/],
    [
      'a limit that is no number',
      { limits: { x: { reads: '1', writes: 1, exports: 1 } } },
      /limits\.x\.reads/,
    ],
  ])('refuses %s by the name of the variable and the place', async (_name, content, expected) => {
    if (content === undefined) await rm(file, { force: true })
    else await write(content)
    const create = () => createClientPolicy(file, TOOLS)
    expect(create).toThrow(/CLIENT_POLICY_FILE/)
    expect(create).toThrow(expected)
  })

  it('is read again as a whole or not at all', async () => {
    const policy = await policyOf({ default: { tools: ['ticket_get'] } })
    await write({ default: { tools: ['tickets_search', 'nothing'] } })
    expect(() => {
      policy.reload()
    }).toThrow(/nothing/)
    expect(policy.mayUse('a', 'ticket_get')).toBe(true)
    await write({ default: { tools: ['tickets_search'] } })
    policy.reload()
    expect([policy.mayUse('a', 'ticket_get'), policy.mayUse('a', 'tickets_search')]).toEqual([false, true])
  })
})

describe('a tool that the client may not use', () => {
  it('is forbidden with the reason, also when a scope is missing: signing in again would not help', async () => {
    await write({ default: { tools: ['ticket_get'] } })
    const gateway = await startGateway({
      ISSUER: issuer.issuer,
      CLIENT_SECRET: 'x'.repeat(32),
      CLIENT_POLICY_FILE: file,
    })
    const token = await issuer.sign({ sub: 'alice', aud: GATEWAY_AUDIENCE, scope: 'tickets:read' })
    for (const tool of ['tickets_search', 'desk_export']) {
      const refused = await gateway.call(tool, {}, token)
      expect(errorOf(refused)).toMatchObject({ class: 'forbidden', code: 'client_policy', retryable: false })
      expect(textOf(refused)).toContain('does not let the client "test-client" call this tool')
    }
    await gateway.close()
  })

  it('is one that SIGHUP may allow, while a faulty file changes nothing', async () => {
    await write({ default: { tools: [] } })
    const port = String(await freePort())
    const child = spawn(process.execPath, programOf('src/main.ts'), {
      env: {
        PATH: process.env['PATH'],
        PORT: port,
        ISSUER: issuer.issuer,
        CLIENT_SECRET: 'x'.repeat(32),
        CLIENT_POLICY_FILE: file,
        ALLOWED_HOSTS: '127.0.0.1',
      },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    let logged = ''
    child.stderr.setEncoding('utf8').on('data', (text: string) => (logged += text))
    const until = async (text: string) => {
      while (!logged.includes(text)) await sleep(50)
    }
    await until('gateway listening')
    const token = await issuer.sign({ sub: 'alice', aud: GATEWAY_AUDIENCE, scope: 'tickets:read' })
    const call = callerOf(`http://127.0.0.1:${port}/mcp`, token)
    const outcome = async () => errorOf(await call('tickets_search', {})).code

    expect(await outcome()).toBe('client_policy')
    await write('{ broken')
    child.kill('SIGHUP')
    await until('client policy kept')
    expect(await outcome()).toBe('client_policy')
    await write({ default: {} })
    child.kill('SIGHUP')
    await until('client policy read again')
    // Allowed now, and stopped only by this issuer, which exchanges no tokens.
    expect(await outcome()).toBe('issuer_unavailable')
    child.kill('SIGTERM')
    expect(await once(child, 'exit')).toEqual([0, null])
  })
})
