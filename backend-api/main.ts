// The composition root of the ticket service: configuration, dependencies, app, listen, drain.
import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { pino } from 'pino'
import type { Logger } from 'pino'
import { assemble, readVersion } from './assemble.ts'
import { readConfig } from './config.ts'
import type { Config } from './config.ts'
import { drain, listen } from './server.ts'
import { reasonOf } from './start-fault.ts'
import type { Address } from './start-fault.ts'
import { openSqliteStore } from './store/sqlite/store.ts'
import { createAdminHandler } from './telemetry/admin.ts'
import { switchLogLevel } from './telemetry/log-level.ts'
import { stderrLines } from './telemetry/stderr-lines.ts'
import { createTracing } from './telemetry/tracing.ts'

const DRAIN_MS = 10_000
/** A scrape takes milliseconds. */
const ADMIN_DRAIN_MS = 500

const result = readConfig(process.env)
if (result.ok) await start(result.config)
else {
  process.stderr.write(
    `The ticket service cannot start:\n${result.faults.map((fault) => `  ${fault}\n`).join('')}`,
  )
  process.exitCode = 1
}

async function start(config: Config): Promise<void> {
  const log = pino(
    { level: config.logLevel, base: { service: 'ticket-service' }, timestamp: pino.stdTimeFunctions.isoTime },
    stderrLines(),
  )
  const stopping = new AbortController()
  process.on('SIGUSR2', () => {
    switchLogLevel(log, config.logLevel)
  })
  let address: Address = { prefix: '', ...config }
  try {
    const tracing = await openTracing(log)
    await mkdir(dirname(config.databasePath), { recursive: true })
    const peopleAuthority = config.identity ? 'desk' : 'issuer'
    const store = await openSqliteStore(config.databasePath, { peopleAuthority })
    const context = {
      stopping: stopping.signal,
      nodeVersion: process.version,
      traceRequests: tracing?.traceRequests,
    }
    const { app, metrics } = await assemble(config, store, log, context)
    const { server, port } = await listen(app, config.host, config.port)
    if (config.admin) address = { prefix: 'ADMIN_', ...config.admin }
    const serveMetrics = createAdminHandler(metrics.registry, (error) => {
      log.error({ err: error }, 'the metrics cannot be read')
    })
    const admin = config.admin && (await listen(serveMetrics, config.admin.host, config.admin.port))
    log.info(
      {
        url: `http://${config.host}:${port}/v1`,
        metrics: admin && `http://${address.host}:${admin.port}/metrics`,
      },
      'listening',
    )

    stopOnSignals(log, stopping, async () => {
      await drain(server, DRAIN_MS)
      // After it, so that a last scrape sees what happened meanwhile.
      if (admin) await drain(admin.server, ADMIN_DRAIN_MS)
      await tracing?.stop()
      await store.close()
    })
  } catch (error) {
    log.fatal({ err: error }, reasonOf(error, address, config.databasePath))
    // Not by its code alone: one of the two servers may listen already.
    process.exit(1)
  }
}

async function openTracing(log: Logger) {
  return createTracing(process.env, {
    version: await readVersion(),
    monotonicMs: () => performance.now(),
    onFault: (reason) => {
      log.warn({ reason }, 'spans are lost')
    },
  })
}

function stopOnSignals(log: Logger, stopping: AbortController, close: () => Promise<void>): void {
  let exitCode = 0
  const stop = async () => {
    if (stopping.signal.aborted) return
    stopping.abort()
    await close()
    log.info('stopped')
    process.exit(exitCode)
  }
  const onSignal = (signal: NodeJS.Signals) => {
    // A second signal does not wait for anybody.
    if (stopping.signal.aborted) process.exit(1)
    log.info({ signal }, 'stopping')
    void stop()
  }
  process.on('SIGTERM', onSignal)
  process.on('SIGINT', onSignal)
  process.on('uncaughtException', (error) => {
    log.fatal({ err: error }, 'a fault that nothing caught; stopping')
    exitCode = 1
    void stop()
  })
}
