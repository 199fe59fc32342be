// An issuer that is gone: what the gateway can still tell, and what it says when it cannot.
import { createServer } from 'node:http'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { describe, expect, it } from 'vitest'
import { GATEWAY_AUDIENCE, startGateway, type RunningGateway } from '../support/gateway.ts'
import { message2025 } from '../support/messages.ts'
import { send, type RawAnswer } from '../support/raw-http.ts'
import { startTestIssuer } from '../support/test-issuer.ts'

const LIST = JSON.stringify(message2025('tools/list').body)
const CLAIMS = { sub: 'alice', aud: GATEWAY_AUDIENCE, scope: 'tickets:read' }
const now = () => Math.floor(Date.now() / 1000)

function listWith(authorization: string, on: RunningGateway): Promise<RawAnswer> {
  const headers = { 'content-type': 'application/json', authorization }
  return send(on.url, { method: 'POST', headers, body: LIST })
}

describe('An issuer that is gone', () => {
  it('is 503 with Retry-After for the first token, and an error in the log without it', async () => {
    const gone = await startTestIssuer()
    const token = await gone.sign(CLAIMS)
    await gone.close()
    const lonely = await startGateway({ ISSUER: gone.issuer, CLIENT_SECRET: 'x'.repeat(32) })
    const answer = await listWith(`Bearer ${token}`, lonely)
    expect(answer.status).toBe(503)
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0)
    expect(answer.headers).not.toHaveProperty('www-authenticate')
    expect(answer.body).not.toContain('127.0.0.1')
    expect(lonely.logged()).toContain('the issuer is out of reach')
    expect(lonely.logged()).not.toContain(token)
    await lonely.close()
  })

  it('is not missed for keys that are known', async () => {
    const leaving = await startTestIssuer()
    const here = await startGateway({ ISSUER: leaving.issuer, CLIENT_SECRET: 'x'.repeat(32) })
    expect((await listWith(`Bearer ${await leaving.sign(CLAIMS)}`, here)).status).toBe(200)
    await leaving.close()
    expect((await listWith(`Bearer ${await leaving.sign({ ...CLAIMS, sub: 'bob' })}`, here)).status).toBe(200)
    expect((await listWith('Bearer nonsense', here)).status).toBe(401)
    await here.close()
  })

  it('and comes back is used without a restart', async () => {
    const { publicKey, privateKey } = await es256()
    const keys = JSON.stringify({ keys: [{ ...(await exportJWK(publicKey)), kid: 'k', alg: 'ES256' }] })
    const server = createServer((req, res) => {
      if (up)
        res.end(
          req.url === '/jwks'
            ? keys
            : JSON.stringify({ issuer: url, jwks_uri: `${url}/jwks`, token_endpoint: `${url}/token` }),
        )
      else res.writeHead(502).end('<html>')
    })
    let up = false
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const address = server.address()
    const url = `http://127.0.0.1:${typeof address === 'object' ? String(address?.port) : ''}`
    const here = await startGateway({ ISSUER: url, CLIENT_SECRET: 'x'.repeat(32) })
    const token = await new SignJWT({ ...CLAIMS, iss: url, exp: now() + 60, client_id: 'x' })
      .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: 'k' })
      .sign(privateKey)
    expect((await listWith(`Bearer ${token}`, here)).status).toBe(503)
    up = true
    expect((await listWith(`Bearer ${token}`, here)).status).toBe(200)
    await here.close()
    server.closeAllConnections()
    server.close()
  })
})

function es256() {
  return generateKeyPair('ES256', { extractable: true })
}
