// Dynamic client registration (RFC 7591), for clients that have no metadata document. Open, so bounded in every way.

import type { IncomingMessage, ServerResponse } from 'node:http'
import { errors, type ClientMetadata, type Provider } from 'oidc-provider'
import type { Logger } from 'pino'
import { publicClient } from './public-client.ts'
import { createRate } from './rate.ts'
import { readBody } from './read-body.ts'

const BODY_BYTES_MAX = 8 * 1024
const REGISTRATIONS_PER_MINUTE_MAX = 20

export interface RegistrationOptions {
  readonly mintId: () => string
  readonly saveClient: (client: ClientMetadata) => Promise<unknown>
  /** The time in milliseconds. */
  readonly now: () => number
  readonly log: Logger
}

export type RegistrationHandler = (req: IncomingMessage, res: ServerResponse) => Promise<void>

/** POST answers 201 with the client as it was registered, or an error of section 3.2.2. Any web page may ask. */
export function createRegistration(provider: Provider, options: RegistrationOptions): RegistrationHandler {
  const { mintId, saveClient, now, log } = options
  const rate = createRate({ max: REGISTRATIONS_PER_MINUTE_MAX, window_ms: 60_000, now })

  async function register(req: IncomingMessage): Promise<Answer> {
    const address = req.socket.remoteAddress ?? ''
    const wait_ms = rate.waitOf(address)
    if (wait_ms > 0) {
      const headers = { 'Retry-After': String(Math.ceil(wait_ms / 1000)) }
      return refusal(429, 'temporarily_unavailable', 'Too many registrations; try again later.', headers)
    }
    rate.add(address)
    const body = await readBody(req, BODY_BYTES_MAX)
    if (body === undefined) {
      return refusal(413, 'invalid_client_metadata', `The body is larger than ${BODY_BYTES_MAX} bytes.`)
    }
    try {
      const client = {
        ...publicClient(mintId(), parseJson(body)),
        client_id_issued_at: Math.floor(now() / 1000),
      }
      await provider.Client.validate(client)
      await saveClient(client)
      return { status: 201, body: client }
    } catch (error) {
      if (!(error instanceof errors.OIDCProviderError)) throw error
      return refusal(400, error.error, error.error_description ?? '')
    }
  }

  return async (req, res) => {
    if (req.method === 'OPTIONS') {
      const asked = req.headers['access-control-request-headers'] ?? ''
      res.writeHead(204, { ...CORS, 'Access-Control-Allow-Headers': asked, 'Access-Control-Max-Age': '3600' })
      res.end()
      return
    }
    const answer =
      req.method === 'POST'
        ? await register(req)
        : refusal(405, 'invalid_request', 'Send the metadata of the client as a POST.', {
            Allow: 'POST, OPTIONS',
          })
    if (answer.status !== 201) log.warn({ status: answer.status, ...answer.body }, 'registration refused')
    res.writeHead(answer.status, {
      ...CORS,
      'Content-Type': 'application/json',
      'Cache-Control': 'no-store',
      ...answer.headers,
    })
    res.end(JSON.stringify(answer.body))
  }
}

const CORS = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Allow-Methods': 'POST',
}

interface Answer {
  readonly status: number
  readonly body: object
  readonly headers?: Readonly<Record<string, string>>
}

function refusal(status: number, error: string, description: string, headers = {}): Answer {
  return { status, body: { error, error_description: description }, headers }
}

function parseJson(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    throw new errors.InvalidClientMetadata('the body must be a JSON object')
  }
}
