// Protected resource metadata (RFC 9728): a client that knows only our URL finds its way to the issuer.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startFaultyDesk, type FaultyDesk } from '../support/faulty-desk.ts'
import { send } from '../support/raw-http.ts'

const PATHS = ['/.well-known/oauth-protected-resource/mcp', '/.well-known/oauth-protected-resource']

let desk: FaultyDesk
beforeAll(async () => {
  desk = await startFaultyDesk({ PUBLIC_URL: 'http://127.0.0.1:8080/mcp,http://localhost:8080/mcp' })
})
afterAll(() => desk.close())

describe.each(PATHS)('%s', (path) => {
  it.each([
    ['127.0.0.1:8080', 'http://127.0.0.1:8080/mcp'],
    ['localhost:8080', 'http://localhost:8080/mcp'],
    ['LocalHost:8080', 'http://localhost:8080/mcp'],
    ['127.0.0.1:1234', 'http://127.0.0.1:8080/mcp'],
  ])('asked under the host %s names %s, without a token (C46)', async (host, resource) => {
    const answer = await send(desk.gateway.origin + path, { headers: { host } })
    expect(answer.status).toBe(200)
    expect(answer.headers['content-type']).toMatch(/^application\/json/)
    expect(JSON.parse(answer.body)).toMatchObject({
      resource,
      scopes_supported: ['tickets:read', 'tickets:write', 'desk:admin'],
      bearer_methods_supported: ['header'],
    })
  })
})

describe('The challenge', () => {
  it.each(['127.0.0.1:8080', 'localhost:8080'])(
    'to a client that used %s names the metadata there, and that is where it is (C46)',
    async (host) => {
      const refused = await send(desk.gateway.url, { method: 'POST', headers: { host } })
      const [, url = ''] =
        /resource_metadata="([^"]+)"/.exec(String(refused.headers['www-authenticate'])) ?? []
      expect(url).toBe(`http://${host}/.well-known/oauth-protected-resource/mcp`)
      const found = await send(desk.gateway.origin + new URL(url).pathname, { headers: { host } })
      expect(JSON.parse(found.body)).toMatchObject({ resource: `http://${host}/mcp` })
    },
  )
})

describe('A public URL', () => {
  it.each(['https://gw.example/', 'https://gw.example/a/mcp', 'https://gw.example/mcp/'])(
    '%s has its endpoint and its metadata where RFC 9728 says',
    async (publicUrl) => {
      const other = await startFaultyDesk({ PUBLIC_URL: publicUrl })
      const { pathname, host } = new URL(publicUrl)
      const refused = await send(other.gateway.origin + pathname, { method: 'POST', headers: { host } })
      expect(refused.status).toBe(401)
      const path = `/.well-known/oauth-protected-resource${pathname.replace(/\/$/, '')}`
      expect(refused.headers['www-authenticate']).toContain(`"https://gw.example${path}"`)
      const found = await send(other.gateway.origin + path, { headers: { host } })
      expect(JSON.parse(found.body)).toMatchObject({ resource: publicUrl })
      await other.close()
    },
  )
})
