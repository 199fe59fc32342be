// A real Prometheus on a free port, with the committed configuration and rules, hurried up: it looks every second.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parse, stringify } from 'yaml'
import { PROMETHEUS_FOLDER, readRuleFiles } from './committed-rules.ts'
import { freePort } from './desk.ts'

export interface Prometheus {
  readonly url: string
  /** GET of the HTTP API below /api/v1/; throws what Prometheus has against the query. */
  get<Data>(path: string, parameters?: Readonly<Record<string, string>>): Promise<Data>
  close(): Promise<void>
}

/** `targets` by job, in place of those that are committed. Alerts do not wait before they fire. */
export async function startPrometheus(targets: Readonly<Record<string, string>>): Promise<Prometheus> {
  const folder = await mkdtemp(join(tmpdir(), 'prometheus-'))
  await writeConfiguration(folder, targets)
  const port = await freePort()
  const child = spawn(
    'prometheus',
    [
      `--config.file=${folder}/prometheus.yml`,
      `--storage.tsdb.path=${folder}/data`,
      `--web.listen-address=127.0.0.1:${port}`,
      '--enable-feature=exemplar-storage',
      '--log.level=error',
    ],
    { stdio: 'ignore' },
  )
  const url = `http://127.0.0.1:${port}`
  while (!(await isReady(url)) && child.exitCode === null) await sleep(50)
  return {
    url,
    async get<Data>(path: string, parameters = {}) {
      const response = await fetch(`${url}/api/v1/${path}?${new URLSearchParams(parameters).toString()}`)
      const answer = (await response.json()) as { status: string; error?: string; data: Data }
      if (answer.status !== 'success') throw new Error(`${answer.error ?? ''}: ${JSON.stringify(parameters)}`)
      return answer.data
    },
    async close() {
      if (child.exitCode === null) {
        child.kill('SIGKILL')
        await once(child, 'exit')
      }
      await rm(folder, { recursive: true })
    },
  }
}

async function writeConfiguration(folder: string, targets: Readonly<Record<string, string>>): Promise<void> {
  const committed = parse(await readFile(join(PROMETHEUS_FOLDER, 'prometheus.yml'), 'utf8')) as {
    scrape_configs: { job_name: string }[]
  }
  const configuration = {
    ...committed,
    global: { scrape_interval: '1s', scrape_timeout: '1s', evaluation_interval: '1s' },
    scrape_configs: committed.scrape_configs.map((job) => ({
      ...job,
      static_configs: [{ targets: [targets[job.job_name]] }],
    })),
  }
  await writeFile(join(folder, 'prometheus.yml'), stringify(configuration))
  await mkdir(join(folder, 'rules'))
  for (const { name, content } of await readRuleFiles()) {
    const groups = content.groups.map(({ name, rules }) => ({
      name,
      rules: rules.map((rule) => ('for' in rule ? { ...rule, for: '0s' } : rule)),
    }))
    await writeFile(join(folder, 'rules', name), stringify({ groups }))
  }
}

async function isReady(url: string): Promise<boolean> {
  const response = await fetch(`${url}/-/ready`).catch(() => undefined)
  await response?.body?.cancel()
  return response?.ok ?? false
}
