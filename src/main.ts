// The gateway over HTTP: configuration, dependencies, listen, drain.
import { createServer, type Server } from 'node:http'
import { ConfigError, readConfig, type Config } from './config.ts'
import { createHttpGateway } from './http.ts'
import { createLog } from './telemetry/log.ts'
import type { Metrics } from './telemetry/metrics.ts'

function start(config: Config): void {
  const log = createLog(config.logLevel)
  const gateway = createHttpGateway(config, log)
  listen(gateway.server, config.port, config.host, 'PORT', () => {
    log.info({ url: config.publicUrls[0]?.href, tools: gateway.catalogue.list.length }, 'gateway listening')
  })
  const admin = config.adminPort === undefined ? undefined : serveMetrics(gateway.metrics, config.adminPort)

  let stopping = false
  let exitCode = 0
  const stop = () => {
    if (stopping) return
    stopping = true
    log.info('draining')
    admin?.close()
    void gateway.stop().finally(() => process.exit(exitCode))
  }
  const onSignal = () => {
    // A second signal does not wait for anybody.
    if (stopping) process.exit(1)
    stop()
  }
  process.on('SIGHUP', () => {
    try {
      gateway.policy.reload()
      log.info('client policy read again')
    } catch (error) {
      log.error({ faults: (error as Error).message }, 'client policy kept: the file has faults')
    }
  })
  process.on('SIGTERM', onSignal)
  process.on('SIGINT', onSignal)
  process.on('uncaughtException', (error) => {
    log.fatal({ err: error }, 'a fault that nothing caught; draining')
    exitCode = 1
    stop()
  })
}

function serveMetrics({ registry }: Metrics, port: number): Server {
  const server = createServer((_req, res) => {
    registry.metrics().then(
      (text) => {
        res.setHeader('Content-Type', registry.contentType)
        res.end(text)
      },
      () => res.writeHead(500).end(),
    )
  })
  listen(server, port, '127.0.0.1', 'ADMIN_PORT', () => undefined)
  return server
}

function listen(server: Server, port: number, host: string, variable: string, onListening: () => void): void {
  server.once('error', (error: NodeJS.ErrnoException) => {
    const fix = error.code === 'EADDRINUSE' ? 'it is taken; choose a free port' : error.message
    fail(`  ${variable}: cannot listen on ${host}:${port}: ${fix}`)
  })
  server.listen(port, host, onListening)
}

function fail(faults: string): never {
  process.stderr.write(`The gateway cannot start:\n${faults}\n`)
  process.exit(1)
}

try {
  start(readConfig(process.env))
} catch (error) {
  if (!(error instanceof ConfigError)) throw error
  fail(error.message)
}
