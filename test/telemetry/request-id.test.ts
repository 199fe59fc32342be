// Three in the morning: all that there is of a failed call is its text. The request id in it leads to everything else.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startDesk, type Desk } from '../support/desk.ts'
import { textOf } from '../support/gateway.ts'
import { callerOf } from '../support/mcp-calls.ts'
import { startOtlpReceiver, type OtlpReceiver } from '../support/otlp-receiver.ts'
import { startSwallowingProxy, type SwallowingProxy } from '../support/swallowing-proxy.ts'

const folder = mkdtempSync(join(tmpdir(), 'request-id-'))
const audit = join(folder, 'audit.jsonl')

let received: OtlpReceiver
let road: SwallowingProxy
let desk: Desk
beforeAll(async () => {
  received = await startOtlpReceiver()
  road = await startSwallowingProxy()
  desk = await startDesk({
    service: received.variables,
    gateway: ({ serviceUrl }) => {
      road.target = new URL(serviceUrl).origin
      return {
        ...received.variables,
        AUDIT_FILE: audit,
        BACKEND_URL: `${road.origin}/v1`,
        BACKEND_AUDIENCE: serviceUrl,
        CALL_TIMEOUT_MS: '1500',
      }
    },
  })
})
afterAll(async () => {
  await desk.close()
  await road.close()
  await received.close()
  rmSync(folder, { recursive: true })
})

const lineIn = (log: string, requestId: string | undefined, also: RegExp) =>
  log.split('\n').filter((line) => line.includes(`"${requestId}"`) && also.test(line))

it('The request id in the text of a failed call finds its log lines, its audit line, its trace and what it changed', async () => {
  const alice = callerOf(desk.url, await desk.token('alice'))
  road.swallow = true
  const failed = await alice('ticket_create', { subject: 'Lost answer', body: 'But it was filed.' })
  road.swallow = false
  expect(textOf(failed)).toMatch(/^\[outcome_unknown\]/)
  const requestId = /Request id: ([\w-]+)\./.exec(textOf(failed))?.[1]
  expect(requestId).toBeDefined()

  const ofGateway = lineIn(desk.gateway.logged(), requestId, /"msg":"tool call"/)
  expect(ofGateway).toHaveLength(1)
  expect(ofGateway[0]).toMatch(/"user":"alice".*"class":"outcome_unknown"/)
  // The token for the service was asked for on behalf of the same call.
  const routes = () =>
    lineIn(desk.service.logged(), requestId, /"msg":"request"/).map(
      (line) => /"route":"([^"]*)"/.exec(line)?.[1],
    )
  await expect.poll(routes).toEqual(['/identity/token', '/v1/tickets'])

  const [line] = lineIn(readFileSync(audit, 'utf8'), requestId, /"audit":"tool_call"/)
  expect(line).toMatch(/"user":"alice".*"tool":"acme_desk__ticket_create".*"outcome":"outcome_unknown"/)

  const spans = () => received.spans().filter(({ attributes }) => attributes['desk.request_id'] === requestId)
  await expect
    .poll(() =>
      spans()
        .map(({ name }) => name)
        .sort(),
    )
    .toEqual(['POST /identity/token', 'POST /v1/tickets', 'tools/call acme_desk__ticket_create'])
  expect(new Set(spans().map(({ traceId }) => traceId)).size).toBe(1)
  expect(ofGateway[0]).toContain(`"trace_id":"${spans()[0]?.traceId ?? ''}"`)

  const events = execFileSync(
    process.execPath,
    ['--import', 'tsx', 'backend-api/events/main.ts', '--json', '--request', requestId ?? ''],
    { env: { ...process.env, DATABASE_PATH: desk.environment.databasePath }, encoding: 'utf8' },
  )
  expect(JSON.parse(events)).toMatchObject({ actor_id: 'alice', ticket_id: 'T-1', request_id: requestId })
}, 60_000)
