// The OAuth clients that exist from the start (RFC 7591 metadata).

import type { ClientMetadata } from 'oidc-provider'
import { TOKEN_EXCHANGE } from './token-exchange.ts'

/** The gateway, which only exchanges tokens, and a public native client for scripts on this machine (RFC 8252). */
export function preRegisteredClients(gatewaySecret: string): ClientMetadata[] {
  return [
    {
      client_id: 'desk-gateway',
      client_secret: gatewaySecret,
      token_endpoint_auth_method: 'client_secret_basic',
      grant_types: [TOKEN_EXCHANGE],
      response_types: [],
      redirect_uris: [],
    },
    {
      client_id: 'desk-local',
      token_endpoint_auth_method: 'none',
      application_type: 'native',
      grant_types: ['authorization_code'],
      response_types: ['code'],
      // A loopback redirect matches with any port (RFC 8252 section 7.3).
      redirect_uris: ['http://127.0.0.1/callback'],
    },
  ]
}
