// Prometheus' own tool on configuration and rules, and the runbooks: an alert without a way out is noise.
import { execFile } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { gateway } from '../../grafana/dashboards/gateway.ts'
import { ticketService } from '../../grafana/dashboards/ticket-service.ts'
import { committedRules, PROMETHEUS_FOLDER } from '../support/committed-rules.ts'

const run = promisify(execFile)
const promtool = (...args: string[]) => run('promtool', args, { cwd: PROMETHEUS_FOLDER })
const filesIn = async (folder: string) =>
  (await readdir(join(PROMETHEUS_FOLDER, folder))).map((file) => join(folder, file))

interface ScenarioFile {
  readonly tests: { readonly promql_expr_test: { readonly exp_samples: { readonly labels: string }[] }[] }[]
}

const alerts = (await committedRules()).filter((rule) => rule.alert !== undefined)

describe('Configuration and rules of Prometheus', () => {
  it('are what promtool accepts', async () => {
    await promtool('check', 'config', '--lint-fatal', 'prometheus.yml')
    await promtool('check', 'rules', '--lint-fatal', ...(await filesIn('rules')))
  })

  it('fire in the scenarios that they are for, and stay silent while all is well', async () => {
    await promtool('test', 'rules', ...(await filesIn('tests')))
  })
})

describe('Every alert', () => {
  const runbooks = alerts.map(({ alert, annotations }) => ({
    alert,
    runbook: annotations?.['runbook'] ?? '',
  }))
  const without = (pattern: RegExp) => runbooks.filter(({ runbook }) => !pattern.test(runbook))

  it('says what is wrong, how much it matters, and which dashboard shows it', () => {
    const dashboards = [gateway.uid, ticketService.uid].map((uid) => `/d/${uid}`)
    for (const { alert, labels, annotations } of alerts) {
      expect(annotations?.['summary'], alert).toBeTruthy()
      expect(annotations?.['description'], alert).toMatch(/\.$/)
      expect(dashboards, alert).toContain(annotations?.['dashboard'])
      expect(['page', 'ticket'], alert).toContain(labels?.['severity'])
    }
  })

  it('has a runbook of three to six steps that names a log field and a command', () => {
    for (const { alert, runbook } of runbooks) {
      const steps = runbook.trim().split('\n')
      expect(
        steps.every((step, index) => step.startsWith(`${index + 1}. `)),
        alert,
      ).toBe(true)
      expect([3, 4, 5, 6], alert).toContain(steps.length)
    }
    expect(without(/`\w+`/)).toEqual([])
    expect(without(/docker compose|npm run|curl/)).toEqual([])
  })

  it('names panels, and only those that there are', () => {
    const titles = [...gateway.panels, ...ticketService.panels].map(({ title }) => title)
    for (const { alert, runbook } of runbooks) {
      const named = [...runbook.matchAll(/"([^"]+\?)"/g)].map(([, title]) => title)
      expect(named, alert).not.toEqual([])
      expect(titles).toEqual(expect.arrayContaining(named))
    }
  })

  it('has a scenario in which it fires', async () => {
    const expected = await Promise.all(
      (await filesIn('tests')).map(async (file) => {
        const { tests } = parse(await readFile(join(PROMETHEUS_FOLDER, file), 'utf8')) as ScenarioFile
        return tests.flatMap((scenario) =>
          scenario.promql_expr_test.flatMap(({ exp_samples }) => exp_samples),
        )
      }),
    )
    const fired = expected.flat().map(({ labels }) => /alertname="(\w+)"/.exec(labels)?.[1])
    expect(fired).toEqual(expect.arrayContaining(alerts.map(({ alert }) => alert)))
  })
})
