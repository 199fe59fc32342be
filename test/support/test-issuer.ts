// A token issuer for tests of one layer alone: real HTTP, real keys, no sign-in.
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { SignJWT, exportJWK, generateKeyPair } from 'jose'
import type { CryptoKey, JWTPayload } from 'jose'

type Claims = { [Name in keyof JWTPayload]: JWTPayload[Name] | undefined }

export interface TestIssuer {
  readonly issuer: string
  /** Signs an access token (RFC 9068). `claims` needs sub and aud; the rest has plain defaults; undefined removes one. */
  sign(claims: Claims, overrides?: { typ?: string; key?: CryptoKey; kid?: string }): Promise<string>
  close(): Promise<void>
}

/** `delayMs` is how long each of its documents takes. */
export async function startTestIssuer(delayMs = 0): Promise<TestIssuer> {
  const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true })
  const jwk = { ...(await exportJWK(publicKey)), kid: 'test-key', alg: 'ES256', use: 'sig' }
  const server = createServer((request, response) => {
    const metadata = { issuer, jwks_uri: `${issuer}/jwks`, token_endpoint: `${issuer}/token` }
    const documents: Record<string, unknown> = {
      '/.well-known/openid-configuration': metadata,
      '/.well-known/oauth-authorization-server': metadata,
      '/jwks': { keys: [jwk] },
    }
    if (request.url === '/token') {
      void grant(request).then((answer) => {
        response
          .writeHead('error' in answer ? 400 : 200, { 'Content-Type': 'application/json' })
          .end(JSON.stringify(answer))
      })
      return
    }
    const document = documents[request.url ?? '']
    response.writeHead(document === undefined ? 404 : 200, { 'Content-Type': 'application/json' })
    setTimeout(() => response.end(JSON.stringify(document ?? {})), delayMs)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  const sign: TestIssuer['sign'] = (claims, { typ = 'at+jwt', key = privateKey, kid = 'test-key' } = {}) => {
    const now = Math.floor(Date.now() / 1000)
    const defaults = {
      iss: issuer,
      iat: now,
      exp: now + 3600,
      jti: crypto.randomUUID(),
      client_id: 'test-client',
    }
    return new SignJWT({ ...defaults, ...claims } as JWTPayload)
      .setProtectedHeader({ alg: 'ES256', typ, kid })
      .sign(key)
  }
  /** Client credentials for anybody; refresh tokens are r1, r2, ..., each good once, for ten seconds as alice. */
  let refreshToken = 'r1'
  async function grant(request: IncomingMessage) {
    const form = new URLSearchParams(await text(request))
    if (form.get('grant_type') === 'refresh_token') {
      if (form.get('refresh_token') !== refreshToken) return { error: 'invalid_grant' }
      refreshToken = `r${Number(refreshToken.slice(1)) + 1}`
      const exp = Math.floor(Date.now() / 1000) + 10
      const token = await sign({ sub: 'alice', aud: form.get('resource') ?? '', scope: 'tickets:read', exp })
      return { access_token: token, token_type: 'Bearer', expires_in: 10, refresh_token: refreshToken }
    }
    if (form.get('grant_type') !== 'client_credentials') return { error: 'unsupported_grant_type' }
    const basic = Buffer.from(
      (request.headers.authorization ?? '').replace('Basic ', ''),
      'base64',
    ).toString()
    const client = basic.split(':')[0]
    const token = await sign({
      sub: client,
      client_id: client,
      appid: client,
      aud: form.get('resource') ?? '',
    })
    return { access_token: token, token_type: 'Bearer', expires_in: 300 }
  }
  return {
    issuer,
    sign,
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
