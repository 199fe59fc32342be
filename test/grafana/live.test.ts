// Every question of the dashboards, and every rule, put to a real Prometheus that watches a real desk at work.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Dataquery } from '@grafana/grafana-foundation-sdk/prometheus'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { gateway } from '../../grafana/dashboards/gateway.ts'
import { ticketService } from '../../grafana/dashboards/ticket-service.ts'
import { committedRules } from '../support/committed-rules.ts'
import { killTheService, POLICY, signInAll, TRACE_ID, work } from '../support/desk-load.ts'
import { freePort, startDesk } from '../support/desk.ts'
import { startPrometheus, type Prometheus } from '../support/prometheus.ts'
import { startRedis } from '../support/redis.ts'

/** Of one process; what has more makes Prometheus slow. */
const MAX_SERIES = 3_000

/** Twenty seconds, or six times that where the machine has other things to do. */
const SET_UP_MS = 120_000
const WITHIN = { timeout: 30_000, interval: 200 }

interface Series {
  readonly metric: Readonly<Record<string, string>>
  readonly values: readonly (readonly [number, string])[]
}
interface FiringAlert {
  readonly labels: Readonly<Record<string, string>>
  readonly annotations: Readonly<Record<string, string>>
}

const closing: (() => Promise<unknown>)[] = []
let prometheus: Prometheus
let started: number
const fired = new Map<string, FiringAlert>()

beforeAll(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'watched-desk-'))
  closing.push(() => rm(folder, { recursive: true }))
  const policy = join(folder, 'policy.json')
  await writeFile(policy, JSON.stringify(POLICY))
  const ports = { gateway: String(await freePort()), service: String(await freePort()) }
  const redis = await startRedis()
  closing.push(() => redis.kill())
  const variables = {
    ADMIN_PORT: ports.gateway,
    CLIENT_POLICY_FILE: policy,
    LIMIT_HARD_FACTOR: '2',
    REDIS_URL: redis.url,
    AUDIT_FILE: join(folder, 'audit.jsonl'),
  }
  const desk = await startDesk({
    tickets: 20,
    service: { ADMIN_PORT: ports.service },
    gateway: () => variables,
  })
  closing.push(() => desk.close())
  started = Date.now() / 1000
  prometheus = await startPrometheus({
    gateway: `127.0.0.1:${ports.gateway}`,
    'ticket-service': `127.0.0.1:${ports.service}`,
  })
  closing.push(() => prometheus.close())
  await vi.waitFor(async () => {
    expect(await series('up == 1')).toHaveLength(2)
  }, WITHIN)
  const load = await signInAll(desk)
  await work(desk, load)
  await killTheService(desk, load, waitForAlerts)
  // Two more looks, so that rates see what came last.
  await sleep(2_500)
}, SET_UP_MS)

afterAll(async () => {
  for (const close of closing.reverse()) await close()
})

/** The values that `expr` has had since the desk started. */
async function series(expr: string): Promise<readonly Series[]> {
  const end = Date.now() / 1000
  const { result } = await prometheus.get<{ result: readonly Series[] }>('query_range', {
    query: expr,
    start: String(started),
    end: String(end),
    step: '1',
  })
  return result
}

/** Why `expr` does not answer; undefined when it does. */
async function faultOf(expr: string): Promise<string | undefined> {
  try {
    const numbers = (await series(expr)).flatMap(({ values }) => values.map(([, value]) => Number(value)))
    return numbers.some(Number.isFinite) ? undefined : 'no data'
  } catch (error) {
    return (error as Error).message
  }
}

async function faultsOf(questions: readonly { readonly name: string; readonly expr: string }[]) {
  const faults = []
  for (const { name, expr } of questions) {
    const fault = await faultOf(expr)
    if (fault !== undefined) faults.push({ name, expr, fault })
  }
  return faults
}

async function waitForAlerts(): Promise<void> {
  await vi.waitFor(async () => {
    const { alerts } = await prometheus.get<{ alerts: readonly FiringAlert[] }>('alerts')
    for (const alert of alerts) fired.set(alert.labels['alertname'] ?? '', alert)
    expect([...fired.keys()]).toEqual(expect.arrayContaining(['DeskBreakerOpen', 'DeskTargetDown']))
  }, WITHIN)
}

describe.each([
  { dashboard: gateway, job: 'gateway' },
  { dashboard: ticketService, job: 'ticket-service' },
])('The dashboard of $job', ({ dashboard, job }) => {
  const filled = (text: string) =>
    text
      .replaceAll('$job', job)
      .replaceAll(/\$(instance|tool)/g, '.*')
      .replaceAll('$__rate_interval', '5s')

  it('gets an answer to each question', async () => {
    const questions = dashboard.panels.flatMap((panel) =>
      'targets' in panel
        ? (panel.targets as Dataquery[]).map(({ expr }) => ({
            name: panel.title ?? '',
            expr: filled(expr),
          }))
        : [],
    )
    expect(questions.length).toBeGreaterThan(15)
    expect(questions.filter(({ expr }) => expr.includes('$'))).toEqual([])
    expect(await faultsOf(questions)).toEqual([])
  })

  it('finds values for its variables, and marks starts and alerts', async () => {
    for (const { query } of dashboard.templating.list) {
      const [, metric, label] =
        /^label_values\((.*), (\w+)\)$/.exec(typeof query === 'string' ? query : '') ?? []
      if (metric === undefined) continue
      const values = await prometheus.get<string[]>(`label/${label ?? ''}/values`, {
        'match[]': filled(metric),
      })
      expect(values, metric).not.toEqual([])
    }
    const marks = dashboard.annotations.list.map(({ name, expr = '' }) => ({ name, expr: filled(expr) }))
    expect(await faultsOf(marks)).toEqual([])
  })
})

describe('The rules', () => {
  it('evaluate without a fault', async () => {
    interface Group {
      readonly rules: readonly {
        readonly name: string
        readonly health: string
        readonly lastError?: string
      }[]
    }
    const { groups } = await prometheus.get<{ groups: readonly Group[] }>('rules')
    const rules = groups.flatMap((group) => group.rules)
    expect(rules).toHaveLength((await committedRules()).length)
    expect(rules.filter(({ health }) => health !== 'ok')).toEqual([])
  })

  it('look at series that there are', async () => {
    const left = (await committedRules()).flatMap(({ alert, record, expr }) =>
      expr.split(/ and (?=job:)/).map((side) => ({
        name: alert ?? record ?? '',
        expr: alert === undefined ? side : side.replace(/ (>|==) [\d.* ]+$/, ''),
      })),
    )
    expect(await faultsOf(left)).toEqual([])
  })

  it('fire while the service is dead, with every value in its text', () => {
    for (const { labels, annotations } of fired.values()) {
      const text = Object.values(annotations).join('\n')
      expect(text, labels['alertname']).not.toMatch(/error expanding|<no value>|\{\{/)
    }
    expect(fired.get('DeskBreakerOpen')?.annotations['summary']).toMatch(
      /The gateway 127\.0\.0\.1:\d+ passes/,
    )
  })
})

/** What the load did, as the metrics should have seen it. */
const DEEDS = [
  'desk_gateway_failures_total{class="unknown_tool", gen_ai_tool_name="other"}',
  'desk_gateway_failures_total{class="backend_unavailable"}',
  'desk_gateway_client_calls_total{client="desk-local", outcome="limited"}',
  'desk_gateway_rate_limit_decisions_total{limit_class="small", budget="reads", decision="soft"}',
  'desk_gateway_rejections_total{reason="over_ceiling"}',
  'desk_gateway_rejections_total{reason="breaker_open"}',
  'desk_gateway_breaker_opened_total',
  'desk_gateway_backend_retries_total',
  'desk_gateway_backend_request_duration_seconds_count{outcome="connection"}',
  'desk_gateway_exchange_duration_seconds_count{outcome="issuer_unavailable"}',
  'desk_gateway_exchange_cache_total{result="hit"}',
  'desk_gateway_token_verifications_total{result="cached"}',
  'desk_gateway_removed_characters_total{gen_ai_tool_name="acme_desk__tickets_search"}',
  'desk_gateway_audit_lines_total{result="written"}',
  'desk_gateway_limits_shared',
  'http_server_request_duration_seconds_count{job="gateway", http_response_status_code="401"}',
  'http_server_request_duration_seconds_count{job="ticket-service", http_route="other"}',
  'desk_service_idempotent_replays_total',
  'desk_service_exported_tickets_total',
  'desk_service_open_event_streams',
  'desk_service_sign_ins_total{outcome="refused"}',
  'desk_service_tokens_total{grant="token_exchange", outcome="issued"}',
  'desk_service_tickets{status="open"}',
]

describe('What Prometheus keeps', () => {
  it('is what happened', async () => {
    const unseen = DEEDS.map((deed) => ({ name: 'not seen', expr: `${deed} > 0` }))
    expect(await faultsOf(unseen)).toEqual([])
  })

  it('leads from a latency to the trace behind it', async () => {
    for (const metric of [
      'mcp_server_operation_duration_seconds_bucket',
      'desk_gateway_backend_request_duration_seconds_bucket',
      'http_server_request_duration_seconds_bucket{job="ticket-service"}',
    ]) {
      const found = await prometheus.get<
        readonly { exemplars: readonly { labels: { trace_id?: string } }[] }[]
      >('query_exemplars', { query: metric, start: String(started), end: String(Date.now() / 1000) })
      const traces = found.flatMap(({ exemplars }) => exemplars.map(({ labels }) => labels.trace_id))
      expect(traces, metric).toContain(TRACE_ID)
    }
  })

  it('is bounded', async () => {
    for (const job of ['gateway', 'ticket-service']) {
      const counts = (await series(`scrape_samples_scraped{job="${job}"}`)).flatMap(({ values }) =>
        values.map(([, value]) => Number(value)),
      )
      const most = Math.max(...counts)
      process.stdout.write(`${most} series of ${job} after the load\n`)
      expect(most).toBeGreaterThan(100)
      expect(most).toBeLessThan(MAX_SERIES)
    }
  })
})
