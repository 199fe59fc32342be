// The same server over stdio, for a client that starts it as a child process. stdout carries protocol and nothing else.
import { randomUUID } from 'node:crypto'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { compose } from './compose.ts'
import { ConfigError, readConfig } from './config.ts'
import { openStdioToken, type CurrentCaller } from './stdio-token.ts'
import { createLog, switchLevel } from './telemetry/log.ts'
import { createTracing, TracingConfigError } from './telemetry/tracing.ts'
import { tracingOptions } from './tracing-options.ts'

async function start(env: NodeJS.ProcessEnv): Promise<void> {
  const config = readConfig(env)
  const log = createLog(config.logLevel)
  const opened: { current?: CurrentCaller } = {}
  const tracing = await createTracing(env, tracingOptions(log))
  const gateway = compose(config, { log, tracing }, async () => {
    if (!opened.current) throw new Error('A message came before the token was verified.')
    return { caller: await opened.current(), requestId: randomUUID() }
  })
  opened.current = await openStdioToken(env, {
    verify: gateway.verify,
    client: { issuer: gateway.issuer },
    resource: config.publicUrls[0]?.href ?? '',
    log,
    now: Date.now,
  })
  const server = serveStdio(gateway.factory, {
    onerror: (error) => {
      // The parser's message quotes what it could not parse, which may be ticket text.
      log.warn({ reason: error.name }, 'MCP message refused')
    },
  })
  log.info({ tools: gateway.catalogue.list.length }, 'gateway on stdio')
  let stopping = false
  const stop = (exitCode: number) => {
    if (stopping) return
    stopping = true
    void Promise.allSettled([server.close(), gateway.close()]).then(() => process.exit(exitCode))
  }
  const onSignal = () => {
    // A second signal does not wait for anybody.
    if (stopping) process.exit(1)
    stop(0)
  }
  process.on('SIGUSR2', () => {
    switchLevel(log, config.logLevel)
  })
  process.on('SIGTERM', onSignal)
  process.on('SIGINT', onSignal)
  process.stdin.once('close', () => {
    stop(0)
  })
  process.on('uncaughtException', (error) => {
    log.fatal({ err: error }, 'a fault that nothing caught')
    stop(1)
  })
}

start(process.env).catch((error: unknown) => {
  const faults =
    error instanceof ConfigError || error instanceof TracingConfigError ? error.message : `  ${String(error)}`
  process.stderr.write(`The gateway cannot start:\n${faults}\n`)
  process.exit(1)
})
