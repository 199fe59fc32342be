// An issuer whose name leads nowhere from where the gateway runs: it is behind a proxy, or in another container.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { throughBackchannel } from '../../src/backend/backchannel.ts'
import { startGateway, textOf, type RunningGateway } from '../support/gateway.ts'
import {
  GATEWAY,
  GATEWAY_SECRET,
  PASSWORD,
  SERVICE,
  startIdentity,
  type RunningIdentity,
} from '../support/identity.ts'
import {
  json,
  startScriptedBackend,
  TICKET_DETAIL,
  type ScriptedBackend,
} from '../support/scripted-backend.ts'
import { signIn } from '../support/sign-in.ts'

describe('With ISSUER_BACKCHANNEL', () => {
  let folder: string
  let issuer: string
  let token: string
  let identity: RunningIdentity
  let backend: ScriptedBackend
  let gateway: RunningGateway
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'backchannel-'))
    const database = join(folder, 'desk.sqlite')
    // A browser reaches the issuer by its name, and then it moves to where only the gateway reaches it.
    const named = await startIdentity({ database })
    issuer = named.issuer
    const person = { person: 'alice', password: PASSWORD }
    token = (await signIn({ issuer, resource: GATEWAY, ...person })).accessToken
    identity = await startIdentity({ database, keys: named.keys, issuer })
    await named.close()
    backend = await startScriptedBackend()
    backend.answer((_asked, res) => {
      json(res, 200, TICKET_DETAIL)
    })
    gateway = await startGateway({
      ISSUER: issuer,
      ISSUER_BACKCHANNEL: new URL(identity.url).origin,
      CLIENT_SECRET: GATEWAY_SECRET,
      BACKEND_URL: backend.url,
      BACKEND_AUDIENCE: SERVICE,
    })
  })
  afterAll(async () => {
    await gateway.close()
    await Promise.all([identity.close(), backend.close()])
    await rm(folder, { recursive: true })
  })

  it('a call passes discovery, keys and exchange of an issuer whose own address is dead', async () => {
    await expect(fetch(`${issuer}/jwks`)).rejects.toThrow()
    expect(textOf(await gateway.call('ticket_get', { id: 'T-42' }, token))).toContain('Printer on floor 3')
    expect(backend.asked).toHaveLength(1)
  })

  it('clients are still told the name that they can reach', async () => {
    const metadata = await fetch(`${gateway.origin}/.well-known/oauth-protected-resource/mcp`)
    expect(await metadata.json()).toMatchObject({ authorization_servers: [issuer] })
  })
})

it('only what is at the origin of the issuer is asked elsewhere, with its path and query', async () => {
  const asked: string[] = []
  const fetch = throughBackchannel('https://id.example/desk', 'http://issuer:9000', (url) => {
    asked.push(String(url))
    return Promise.resolve(new Response())
  })
  await fetch('https://id.example/desk/token?a=b')
  await fetch('https://keys.example/jwks')
  await fetch('https://id.example:8443/jwks')
  expect(asked).toEqual([
    'http://issuer:9000/desk/token?a=b',
    'https://keys.example/jwks',
    'https://id.example:8443/jwks',
  ])
})
