import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport as StdioTransportV1 } from '@modelcontextprotocol/sdk/client/stdio.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { programOf } from '../support/compiled.ts'
import { startDesk, type Desk } from '../support/desk.ts'

const PROJECT = join(import.meta.dirname, '../..')
const COMMAND = { command: process.execPath, args: programOf('src/stdio.ts'), cwd: PROJECT }

let desk: Desk
let environment: Record<string, string>
beforeAll(async () => {
  desk = await startDesk({ tickets: 20 })
  environment = {
    PATH: process.env['PATH'] ?? '',
    ...desk.environment.gateway,
    LOG_LEVEL: 'debug',
    ACCESS_TOKEN: await desk.token('alice'),
  }
})
afterAll(() => desk.close())

/** Starts the server, sends the messages, and gives all that came out after as many answers as there were requests. */
async function converse(messages: readonly object[], env = environment) {
  const child = spawn(COMMAND.command, COMMAND.args, { cwd: PROJECT, env })
  const ended = once(child, 'exit') as Promise<[number | null]>
  const stderr = text(child.stderr)
  const lines: string[] = []
  const requests = messages.filter((message) => 'id' in message).length
  const answered = new Promise<void>((resolve) => {
    createInterface(child.stdout).on('line', (line) => {
      if (lines.push(line) === requests) resolve()
    })
  })
  for (const message of messages) child.stdin.write(`${JSON.stringify(message)}\n`)
  await Promise.race([answered, ended])
  child.stdin.end()
  const [code] = await ended
  return { lines, stderr: await stderr, code }
}

const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
}

describe('stdio', () => {
  it('writes protocol to stdout and nothing else, with debug logs on, and ends when stdin does', async () => {
    const call = (id: number, name: string, args: object) => ({
      jsonrpc: '2.0',
      id,
      method: 'tools/call',
      params: { name: `acme_desk__${name}`, arguments: args },
    })
    const { lines, stderr, code } = await converse([
      INITIALIZE,
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      { jsonrpc: '2.0', id: 2, method: 'tools/list' },
      call(3, 'tickets_search', { limit: 1 }),
      call(4, 'no_such_tool', {}),
      { jsonrpc: '2.0', id: 5, method: 'no/such/method' },
    ])
    const messages = lines.map((line) => JSON.parse(line) as { jsonrpc: string; id: number })
    expect(messages.map(({ jsonrpc }) => jsonrpc)).toEqual(lines.map(() => '2.0'))
    expect(messages.map(({ id }) => id).sort()).toEqual([1, 2, 3, 4, 5])
    expect(code).toBe(0)
    expect(stderr).toContain('tool call')
    expect(stderr).not.toContain(environment['ACCESS_TOKEN'])
  })

  it("serves the 2026-07-28 client and the older one alike, as the token's person", async () => {
    const modern = new Client({ name: 'stdio', version: '1' }, { versionNegotiation: { mode: 'auto' } })
    await modern.connect(new StdioClientTransport({ ...COMMAND, env: environment, stderr: 'ignore' }))
    expect(modern.getProtocolEra()).toBe('modern')
    const older = new ClientV1({ name: 'stdio', version: '1' })
    await older.connect(new StdioTransportV1({ ...COMMAND, env: environment, stderr: 'ignore' }))
    const [mine, theirs] = await Promise.all([modern.listTools(), older.listTools()])
    expect(mine.tools.map(({ name }) => name)).toEqual(theirs.tools.map(({ name }) => name))

    const call = { name: 'acme_desk__ticket_create', arguments: { subject: 'Over stdio', body: 'Works.' } }
    const created = await modern.callTool(call)
    expect(created.structuredContent).toMatchObject({ created: true, ticket: { requester: { id: 'alice' } } })
    const search = { name: 'acme_desk__tickets_search', arguments: { query: 'stdio' } }
    expect((await older.callTool(search)).structuredContent).toMatchObject({ total: 1 })
    await Promise.all([modern.close(), older.close()])
  })

  it('refuses a tool beyond the scopes of the token as a result, for there is no HTTP to challenge over', async () => {
    const { lines } = await converse([
      INITIALIZE,
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'acme_desk__desk_export' } },
    ])
    const answer = JSON.parse(lines[1] ?? '') as { result: { isError: boolean; content: { text: string }[] } }
    expect(answer.result.isError).toBe(true)
    expect(answer.result.content[0]?.text).toMatch(/^\[forbidden\] .*desk:admin/)
  })

  it.each([
    ['no token', { ACCESS_TOKEN: '' }, /ACCESS_TOKEN: is required/],
    ['a token that is none', { ACCESS_TOKEN: 'nonsense' }, /ACCESS_TOKEN: is refused/],
    ['a dead issuer', { ISSUER: 'http://127.0.0.1:9/identity' }, /ISSUER: does not answer/],
    ['a bad variable', { CALL_TIMEOUT_MS: 'soon' }, /CALL_TIMEOUT_MS: must be/],
    [
      'a namespace that no client could take',
      { NAMESPACE: 'n'.repeat(40) },
      /NAMESPACE: .*shorten the namespace/,
    ],
  ])('with %s says what is wrong on stderr and exits 1', async (_name, variables, expected) => {
    const { lines, stderr, code } = await converse([], { ...environment, ...variables })
    expect(stderr).toMatch(expected)
    expect(stderr).not.toMatch(/\n\s+at /)
    expect([lines, code]).toEqual([[], 1])
  })
})
