// The same server over stdio, for a client that starts it as a child process. stdout carries protocol and nothing else.
import { randomUUID } from 'node:crypto'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import type { Caller } from './backend/caller.ts'
import { compose } from './compose.ts'
import { ConfigError, readConfig } from './config.ts'
import type { VerifyToken } from './gateway/verify-token.ts'
import { createLog } from './telemetry/log.ts'

async function start(env: NodeJS.ProcessEnv): Promise<void> {
  const config = readConfig(env)
  const log = createLog(config.logLevel)
  const holder: { caller?: Caller } = {}
  const gateway = compose(config, log, () => {
    if (!holder.caller) throw new Error('A message came before the token was verified.')
    return { caller: holder.caller, requestId: randomUUID() }
  })
  holder.caller = await identify(gateway.verify, env['ACCESS_TOKEN'])
  const server = serveStdio(gateway.factory, {
    onerror: (error) => {
      log.warn({ reason: error.message }, 'MCP message refused')
    },
  })
  log.info({ tools: gateway.catalogue.list.length, user: holder.caller.subject }, 'gateway on stdio')
  const stop = () => void server.close().then(() => process.exit(0))
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
  process.stdin.once('close', stop)
}

async function identify(verify: VerifyToken, token: string | undefined): Promise<Caller> {
  if (!token)
    throw new ConfigError('  ACCESS_TOKEN: is required; set it to a token whose audience is PUBLIC_URL')
  const verification = await verify(token)
  switch (verification.kind) {
    case 'valid':
      return verification.caller
    case 'invalid':
      throw new ConfigError(`  ACCESS_TOKEN: is refused: ${verification.reason}; get a new one`)
    case 'issuer_unavailable':
      throw new ConfigError('  ISSUER: does not answer; start it or correct the URL')
  }
}

start(process.env).catch((error: unknown) => {
  const faults = error instanceof ConfigError ? error.message : `  ${String(error)}`
  process.stderr.write(`The gateway cannot start:\n${faults}\n`)
  process.exit(1)
})
