// The authorization server alone, on a free port, with people and keys of its own.

import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  exportJWK,
  generateKeyPair,
  SignJWT,
  type JWK,
  type JWTHeaderParameters,
  type JWTPayload,
} from 'jose'
import { pino } from 'pino'
import { createIdentity } from '../../backend-api/identity/identity.ts'
import type { PersonWithRole } from '../../openapi/desk.gen.ts'

export const GATEWAY = 'http://127.0.0.1:8080/mcp'
export const SERVICE = 'http://127.0.0.1:8081/v1'
export const PASSWORD = 'correct horse battery staple'
export const GATEWAY_SECRET = 'a gateway secret of more than 32 characters'
export const PEOPLE: readonly PersonWithRole[] = [
  { id: 'carol', name: 'Carol Diaz', role: 'customer' },
  { id: 'alice', name: 'Alice Novak', role: 'staff' },
  { id: 'dave', name: 'Dave Moreau', role: 'admin' },
]

export interface RunningIdentity {
  readonly issuer: string
  /** What the server wrote to its log so far. */
  readonly logged: () => string
  /** People who can be found; tests may change it. */
  readonly people: Map<string, PersonWithRole>
  /** Signs with the server's own key, for tokens that it would not issue (expired ones, say). */
  sign(claims: JWTPayload, header?: Partial<JWTHeaderParameters>): Promise<string>
  close(): Promise<void>
}

export async function startIdentity(): Promise<RunningIdentity> {
  const { privateKey } = await generateKeyPair('ES256', { extractable: true })
  const key: JWK = { ...(await exportJWK(privateKey)), kid: 'k1', alg: 'ES256', use: 'sig' }
  const people = new Map(PEOPLE.map((person) => [person.id, person]))
  const lines: string[] = []

  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}/identity`
  const identity = createIdentity({
    issuer,
    keys: { keys: [key] },
    password: PASSWORD,
    gatewaySecret: GATEWAY_SECRET,
    gatewayAudiences: [GATEWAY, 'http://localhost:8080/mcp'],
    serviceAudience: SERVICE,
    findPerson: (id) => Promise.resolve(people.get(id)),
    log: pino({ level: 'info' }, { write: (line: string) => void lines.push(line) }),
  })
  server.on('request', identity.handler)

  return {
    issuer,
    people,
    logged: () => lines.join(''),
    sign: (claims, header) =>
      new SignJWT(claims)
        .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: 'k1', ...header })
        .sign(privateKey),
    close: () => closeServer(server),
  }
}

async function closeServer(server: Server): Promise<void> {
  server.closeAllConnections()
  server.close()
  await once(server, 'close')
}
