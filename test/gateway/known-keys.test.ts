import { expect, it } from 'vitest'
import { createIssuer } from '../../src/backend/issuer.ts'
import { createTokenVerifier } from '../../src/gateway/verify-token.ts'
import { startTestIssuer } from '../support/test-issuer.ts'

const AUDIENCE = 'http://gateway.test/mcp'

it('keys that are known go on being used when the issuer is gone and the set is due to be read again', async () => {
  const issuer = await startTestIssuer()
  const verify = createTokenVerifier({
    issuer: createIssuer(issuer.issuer, fetch),
    audiences: [AUDIENCE],
    claims: { scope: 'scope', clientId: 'client_id', role: 'role' },
    tokenType: 'at+jwt',
    now: Date.now,
    keysMaxAgeMs: 0,
  })
  const token = (sub: string) => issuer.sign({ sub, aud: AUDIENCE })
  expect((await verify(await token('alice'))).kind).toBe('valid')
  await issuer.close()
  expect((await verify(await token('bob'))).kind).toBe('valid')
  // Of a key that it never had it can say nothing now.
  const unknown = await issuer.sign({ sub: 'eve', aud: AUDIENCE }, { kid: 'another' })
  expect((await verify(unknown)).kind).toBe('issuer_unavailable')
})
