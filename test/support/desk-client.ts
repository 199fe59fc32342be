// Speaks REST to the ticket service as one person; plain fetch, so that tests see exactly what was answered.
import type { Service } from './service.ts'

export interface Reply<Body> {
  readonly status: number
  readonly headers: Headers
  readonly body: Body
}

export interface RequestOptions {
  readonly body?: unknown
  readonly key?: string
  readonly headers?: Record<string, string>
}

export interface DeskClient {
  get<Body>(path: string, headers?: Record<string, string>): Promise<Reply<Body>>
  post<Body>(path: string, options?: RequestOptions): Promise<Reply<Body>>
}

export async function as(
  service: Service,
  person: string,
  claims?: Record<string, unknown>,
): Promise<DeskClient> {
  const token = await service.tokenOf(person, claims)
  return clientWith(service.url, { Authorization: `Bearer ${token}` })
}

/** `body` is sent as JSON, a string as it stands. */
export function clientWith(url: string, identity: Record<string, string>): DeskClient {
  const send = async <Body>(path: string, init: RequestInit): Promise<Reply<Body>> => {
    const response = await fetch(url + path, init)
    const text = await response.text()
    const isJson = /[/+]json/.test(response.headers.get('content-type') ?? '')
    return {
      status: response.status,
      headers: response.headers,
      body: (isJson ? JSON.parse(text) : text) as Body,
    }
  }
  return {
    get: (path, headers = {}) => send(path, { headers: { ...identity, ...headers } }),
    post: (path, { body, key, headers = {} } = {}) =>
      send(path, {
        method: 'POST',
        headers: {
          ...identity,
          ...(key === undefined ? {} : { 'Idempotency-Key': key }),
          ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      }),
  }
}
