// The whole way of one person: is the token one for this gateway, and does a read of the ticket service succeed with it?

import { createTokenExchange } from '../../src/backend/token-exchange.ts'
import { createUserAssertion } from '../../src/backend/user-assertion.ts'
import type { Caller } from '../../src/backend/caller.ts'
import { createTokenVerifier } from '../../src/gateway/verify-token.ts'
import { ask } from './ask.ts'
import type { DoctorContext } from './context.ts'
import { ok, quoted, skipped, wrong, type Finding } from './finding.ts'

const NOT_WATCHED = { onLookup: () => undefined, onExchange: () => undefined }
const CALL = { requestId: 'doctor', begin: () => ({ headers: {}, end: () => undefined }) }

export async function checkPerson(context: DoctorContext): Promise<Finding> {
  const { personToken, issuer } = context
  if (!personToken) return skipped("set ACCESS_TOKEN to a person's token to try the whole way")
  if (!(await issuer.metadata().catch(() => undefined))) return skipped('the issuer was not found')
  try {
    return await checkToken(context, await personToken())
  } catch (error) {
    return wrong(
      `no token could be had: ${quoted((error as Error).message)}`,
      'See whether a person can sign in with a browser.',
    )
  }
}

async function checkToken(context: DoctorContext, token: string): Promise<Finding> {
  const { config, issuer, now } = context
  const audiences = config.publicUrls.map(({ href }) => href)
  const { claims, tokenType } = config
  const verification = await createTokenVerifier({ issuer, audiences, claims, tokenType, now })(token)
  switch (verification.kind) {
    case 'valid':
      return readFor(context, verification.caller)
    case 'invalid':
      return wrong(
        `the gateway refuses the token: ${verification.reason}`,
        'Get a new one for the first URL of PUBLIC_URL; for other claims see SCOPE_CLAIM, CLIENT_ID_CLAIM, TOKEN_TYPE.',
      )
    case 'issuer_unavailable':
      return wrong(`the token cannot be verified: ${verification.cause}`, 'Mend what the line on keys says.')
  }
}

async function readFor({ config, client, now }: DoctorContext, caller: Caller): Promise<Finding> {
  const { backendAudience: resource, assertionKey: key, backendUrl } = config
  const credentials = await (
    key
      ? createUserAssertion({ client, resource, key, now, watch: NOT_WATCHED })
      : createTokenExchange(client, resource, NOT_WATCHED)
  ).of(caller, CALL)
  switch (credentials.kind) {
    case 'subject_refused':
      return wrong('the issuer does not stand by the token any more', 'Sign in again and take a new token.')
    case 'issuer_unavailable':
      return wrong(
        `no token for the ticket service: ${credentials.cause}`,
        'Mend what the line on the client says.',
      )
    case 'headers': {
      const { headers } = credentials
      const answer = await ask(`${backendUrl.href.replace(/\/$/, '')}/tickets?limit=1`, (url, init) =>
        fetch(url, { ...init, headers }),
      )
      if (answer.kind === 'silent')
        return wrong(`the ticket service gives no answer: ${answer.cause}`, 'Mend what the line on it says.')
      return judgeRead(answer.status, config.backendAudience)
    }
  }
}

function judgeRead(status: number, audience: string): Finding {
  switch (status) {
    case 200:
      return ok("a person's token was accepted, exchanged, and read tickets")
    case 401:
      return wrong(
        `the ticket service refuses the token for ${audience}`,
        'Let AUDIENCE of the service be BACKEND_AUDIENCE of the gateway, and both have one ISSUER; see ASSERTION_KEYS.',
      )
    case 403:
      return wrong(
        'the ticket service does not let this person read tickets',
        'Give the person the scope tickets:read and a role that ROLE_CLAIM names.',
      )
    default:
      return wrong(`the ticket service answers a read with HTTP ${status}`, 'Look into its log.')
  }
}
