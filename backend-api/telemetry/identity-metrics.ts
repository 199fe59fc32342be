// Sign-ins and tokens of the embedded authorization server, as counts. Knows no person, no client and no token.
import { createCounter } from './closed-labels.ts'
import type { OpenMetricsRegistry } from './closed-labels.ts'

/** As `grant_type` says it (RFC 6749, RFC 8693), and as the label does. */
const GRANTS: Readonly<Record<string, string>> = {
  authorization_code: 'authorization_code',
  refresh_token: 'refresh_token',
  client_credentials: 'client_credentials',
  'urn:ietf:params:oauth:grant-type:token-exchange': 'token_exchange',
}
const OTHER = 'other'

export interface IdentityMetrics {
  /** `grantType` as it was sent; a refusal may come before there is one. */
  readonly tokenRequested: (grantType: string | undefined, outcome: 'issued' | 'refused') => void
  readonly signInTried: (outcome: 'signed_in' | 'refused' | 'locked') => void
}

export function createIdentityMetrics(registry: OpenMetricsRegistry): IdentityMetrics {
  const tokens = createCounter(registry, {
    name: 'desk_service_tokens_total',
    help: 'Token requests at the embedded authorization server, by grant and outcome; refusals of the client itself count too.',
    labels: { grant: [...Object.values(GRANTS), OTHER], outcome: ['issued', 'refused'] },
  })
  const signIns = createCounter(registry, {
    name: 'desk_service_sign_ins_total',
    help: 'Attempts to sign in with a password; refused is a wrong one, locked is too many attempts.',
    labels: { outcome: ['signed_in', 'refused', 'locked'] },
  })
  return {
    tokenRequested: (grantType = '', outcome) => {
      tokens.inc({ grant: Object.hasOwn(GRANTS, grantType) ? (GRANTS[grantType] ?? OTHER) : OTHER, outcome })
    },
    signInTried: (outcome) => {
      signIns.inc({ outcome })
    },
  }
}
