// The authorization server alone, on a free port, with people and keys of its own.

import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  exportJWK,
  generateKeyPair,
  importJWK,
  SignJWT,
  type JWK,
  type JWTHeaderParameters,
  type JWTPayload,
} from 'jose'
import { pino } from 'pino'
import { Registry, type OpenMetricsContentType } from 'prom-client'
import { createIdentity } from '../../backend-api/identity/identity.ts'
import { hashPassword } from '../../backend-api/identity/password.ts'
import { openSqliteStore, type SqliteStore } from '../../backend-api/store/sqlite/store.ts'
import { createIdentityMetrics } from '../../backend-api/telemetry/identity-metrics.ts'
import type { PersonWithRole } from '../../openapi/desk.gen.ts'
import { keepLog } from './kept-logs.ts'

export const GATEWAY = 'http://127.0.0.1:8080/mcp'
export const SERVICE = 'http://127.0.0.1:8081/v1'
export const PASSWORD = 'correct horse battery staple'
export const GATEWAY_SECRET = 'a gateway secret of more than 32 characters'
export const PEOPLE: readonly PersonWithRole[] = [
  { id: 'carol', name: 'Carol Diaz', role: 'customer' },
  { id: 'alice', name: 'Alice Novak', role: 'staff' },
  { id: 'dave', name: 'Dave Moreau', role: 'admin' },
]
/** Weak on purpose: what is tested is not how long a digest takes. */
export const CHEAP = { N: 1024, r: 8, p: 1 }

export interface IdentityChoices {
  /** Private keys; the first signs. */
  readonly keys?: readonly JWK[]
  /** Of the file that an earlier one left behind. */
  readonly database?: string
  readonly port?: number
  readonly now?: () => number
  /** A public issuer trusts nothing of this machine. */
  readonly issuer?: string
}

export interface RunningIdentity {
  readonly issuer: string
  readonly port: number
  /** Where the server listens, which is the issuer unless another was chosen. */
  readonly url: string
  readonly keys: readonly JWK[]
  readonly store: SqliteStore
  /** What the server wrote to its log so far. */
  readonly logged: () => string
  readonly registry: Registry<OpenMetricsContentType>
  /** People who can be found; tests may change it. */
  readonly people: Map<string, PersonWithRole>
  /** Signs with the server's own key, for tokens that it would not issue (expired ones, say). */
  sign(claims: JWTPayload, header?: Partial<JWTHeaderParameters>): Promise<string>
  close(): Promise<void>
}

export async function startIdentity(choices: IdentityChoices = {}): Promise<RunningIdentity> {
  const { database = ':memory:', now = Date.now, keys = [await makeKey('k1')] } = choices
  const store = await openSqliteStore(database)
  await store.load(PEOPLE, [], 'test')
  const hash = await hashPassword(PASSWORD, randomBytes(16), CHEAP)
  for (const { id } of PEOPLE) await store.identity.savePasswordHash(id, hash)
  const people = new Map(PEOPLE.map((person) => [person.id, person]))
  const lines: string[] = []

  const server = createServer()
  server.listen(choices.port ?? 0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const url = `http://127.0.0.1:${port}/identity`
  const issuer = choices.issuer ?? url
  const registry = new Registry<OpenMetricsContentType>()
  const identity = createIdentity({
    issuer,
    keys: { keys: [...keys] },
    gatewaySecret: GATEWAY_SECRET,
    gatewayAudiences: [GATEWAY, 'http://localhost:8080/mcp'],
    serviceAudience: SERVICE,
    state: store.identity,
    findPerson: (id) => Promise.resolve(people.get(id)),
    clock: () => new Date(now()),
    mintId: randomUUID,
    metrics: createIdentityMetrics(registry),
    log: pino(
      { level: 'debug' },
      {
        write: (line: string) => {
          lines.push(line)
          keepLog(line)
        },
      },
    ),
  })
  server.on('request', identity.handler)

  return {
    issuer,
    port,
    url,
    keys,
    store,
    people,
    logged: () => lines.join(''),
    registry,
    async sign(claims, header) {
      const [key = {}] = keys
      return new SignJWT(claims)
        .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: key.kid ?? '', ...header })
        .sign(await importJWK(key, 'ES256'))
    },
    async close() {
      await closeServer(server)
      await store.close()
    },
  }
}

export async function makeKey(kid: string): Promise<JWK> {
  const { privateKey } = await generateKeyPair('ES256', { extractable: true })
  return { ...(await exportJWK(privateKey)), kid, alg: 'ES256', use: 'sig' }
}

async function closeServer(server: Server): Promise<void> {
  server.closeAllConnections()
  server.close()
  await once(server, 'close')
}
