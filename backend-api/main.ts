// The composition root of the ticket service: configuration, dependencies, app, listen, drain.
import { randomUUID } from 'node:crypto'
import { mkdir, readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { pino } from 'pino'
import type { Logger } from 'pino'
import { audiencesOf, createAccessTokenVerifier } from './access-token.ts'
import { createApp } from './app.ts'
import { readConfig } from './config.ts'
import type { Config } from './config.ts'
import { readContract } from './contract.ts'
import { createIdentity } from './identity/identity.ts'
import { createIssuerKeys } from './issuer-keys.ts'
import { createCursors } from './paging/cursor.ts'
import { drain, listen } from './server.ts'
import { openSqliteStore } from './store/sqlite/store.ts'
import type { SqliteStore } from './store/sqlite/store.ts'
import { createUserAssertions } from './user-assertion.ts'

const DRAIN_MS = 10_000
const QUIET_STREAM_MS = 15_000

const result = readConfig(process.env)
if (result.ok) await start(result.config)
else {
  process.stderr.write(
    `The ticket service cannot start:\n${result.faults.map((fault) => `  ${fault}\n`).join('')}`,
  )
  process.exitCode = 1
}

async function start(config: Config): Promise<void> {
  const log = pino({ name: 'desk', level: config.logLevel }, pino.destination({ dest: 2, sync: true }))
  const stopping = new AbortController()
  try {
    await mkdir(dirname(config.databasePath), { recursive: true })
    const peopleAuthority = config.identity ? 'desk' : 'issuer'
    const store = await openSqliteStore(config.databasePath, { peopleAuthority })
    const app = await assemble(config, store, log, stopping.signal)
    const { server, port } = await listen(app, config.host, config.port)
    log.info({ url: `http://${config.host}:${port}/v1` }, 'listening')

    let exitCode = 0
    const stop = async () => {
      if (stopping.signal.aborted) return
      stopping.abort()
      await drain(server, DRAIN_MS)
      await store.close()
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
  } catch (error) {
    log.fatal({ err: error }, reasonOf(error, config))
    process.exitCode = 1
  }
}

async function assemble(config: Config, store: SqliteStore, log: Logger, stopping: AbortSignal) {
  const clock = () => new Date()
  const { issuer, audience, claims, tokenType, assertions, identity } = config
  return createApp({
    ...config,
    store,
    log,
    clock,
    stopping,
    contract: readContract(),
    cursors: createCursors(config.cursorSecret, clock),
    policy: await readFile(new URL('policy.md', import.meta.url), 'utf8'),
    quietStreamMs: QUIET_STREAM_MS,
    mintId: randomUUID,
    monotonicMs: () => performance.now(),
    verifyAccessToken: createAccessTokenVerifier({
      issuer,
      audience,
      clock,
      keys: createIssuerKeys(issuer, clock),
      claims,
      tokenType,
      assertions:
        assertions && createUserAssertions({ ...assertions, audiences: audiencesOf(audience), clock }),
    }),
    identity: identity && {
      issuer,
      ...createIdentity({
        ...identity,
        issuer,
        serviceAudience: audience,
        state: store.identity,
        findPerson: (id) => store.findPerson(id),
        clock,
        mintId: randomUUID,
        log,
      }),
    },
  })
}

/** What to do about the faults that people meet when they start a service. */
function reasonOf(error: unknown, { host, port, databasePath }: Config): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  switch (code) {
    case 'EADDRINUSE':
      return `Port ${port} is in use. Stop what uses it, or set PORT to another one.`
    case 'EACCES':
      return `The service may not use port ${port} or the folder of ${databasePath}. Change PORT or DATABASE_PATH.`
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return `${host} is not an address of this machine. Change HOST.`
    case 'SQLITE_CANTOPEN':
    case 'SQLITE_NOTADB':
      return `${databasePath} cannot be opened as a database. Change DATABASE_PATH.`
    default:
      return 'The ticket service could not start.'
  }
}
