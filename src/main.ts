// The gateway over HTTP: configuration, dependencies, listen, drain.
import type { Server } from 'node:http'
import { createAdminServer } from './admin.ts'
import { ConfigError, readConfig, type Config } from './config.ts'
import { createHttpGateway } from './http.ts'
import { createLog, switchLevel } from './telemetry/log.ts'
import { createTracing, TracingConfigError } from './telemetry/tracing.ts'
import { tracingOptions } from './tracing-options.ts'

async function start(config: Config): Promise<void> {
  const log = createLog(config.logLevel)
  const tracing = await createTracing(process.env, tracingOptions(log))
  const gateway = createHttpGateway(config, { log, tracing })
  listen(gateway.server, config.port, config.host, '', () => {
    log.info({ url: config.publicUrls[0]?.href, tools: gateway.catalogue.list.length }, 'gateway listening')
  })
  if (config.adminPort !== undefined) {
    const admin = createAdminServer(gateway.metrics.registry, (error) => {
      log.error({ err: error }, 'the metrics cannot be read')
    })
    listen(admin, config.adminPort, config.adminHost, 'ADMIN_')
  }

  let stopping = false
  let exitCode = 0
  const stop = () => {
    if (stopping) return
    stopping = true
    log.info('draining')
    void gateway.stop().finally(() => process.exit(exitCode))
  }
  const onSignal = () => {
    // A second signal does not wait for anybody.
    if (stopping) process.exit(1)
    stop()
  }
  process.on('SIGHUP', () => {
    if (config.clientPolicyFile === undefined) return
    try {
      gateway.policy.reload()
      log.info('client policy read again')
    } catch (error) {
      log.error({ faults: (error as Error).message }, 'client policy kept: the file has faults')
    }
  })
  process.on('SIGUSR2', () => {
    switchLevel(log, config.logLevel)
  })
  process.on('SIGTERM', onSignal)
  process.on('SIGINT', onSignal)
  process.on('uncaughtException', (error) => {
    log.fatal({ err: error }, 'a fault that nothing caught; draining')
    exitCode = 1
    stop()
  })
}

/** The host that does not resolve, or is not one of this machine's. */
const FAULTS_OF_HOST = new Set(['EADDRNOTAVAIL', 'ENOTFOUND', 'EAI_AGAIN'])

/** `prefix` is that of the variables PORT and HOST. */
function listen(server: Server, port: number, host: string, prefix: string, onListening?: () => void): void {
  server.once('error', ({ code = '', message }: NodeJS.ErrnoException) => {
    const variable = FAULTS_OF_HOST.has(code) ? 'HOST' : 'PORT'
    const fix = code === 'EADDRINUSE' ? 'it is taken; choose a free port' : message
    fail(`  ${prefix}${variable}: cannot listen on ${host}:${port}: ${fix}`)
  })
  server.listen(port, host, onListening)
}

function fail(faults: string): never {
  process.stderr.write(`The gateway cannot start:\n${faults}\n`)
  process.exit(1)
}

try {
  await start(readConfig(process.env))
} catch (error) {
  if (!(error instanceof ConfigError) && !(error instanceof TracingConfigError)) throw error
  fail(error.message)
}
