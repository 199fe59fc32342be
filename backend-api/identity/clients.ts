// The OAuth clients that exist from the start (RFC 7591 metadata).

import type { ClientMetadata } from 'oidc-provider'
import { TOKEN_EXCHANGE } from './token-exchange.ts'

/** The only client of people that may go to the service past the gateway, and so past the gateway's client policy. */
export const LOCAL_CLIENT = 'desk-local'

/** The gateway, which signs nobody in, and a public native client for scripts on this machine (RFC 8252). */
export function preRegisteredClients(gatewaySecret: string): ClientMetadata[] {
  return [
    {
      client_id: 'desk-gateway',
      client_name: 'Desk gateway',
      client_secret: gatewaySecret,
      token_endpoint_auth_method: 'client_secret_basic',
      grant_types: [TOKEN_EXCHANGE, 'client_credentials'],
      response_types: [],
      redirect_uris: [],
    },
    {
      client_id: LOCAL_CLIENT,
      client_name: 'Desk scripts',
      token_endpoint_auth_method: 'none',
      application_type: 'native',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      // A loopback redirect matches with any port (RFC 8252 section 7.3).
      redirect_uris: ['http://127.0.0.1/callback'],
    },
  ]
}
