// The first page: who are you? Signs a person in with their password.

import type { Provider } from 'oidc-provider'
import type { Logger } from 'pino'
import type { IdentityMetrics } from '../telemetry/identity-metrics.ts'
import type { Authentication, AuthenticatePerson } from './authenticate-person.ts'
import { sendPage } from './pages/send-page.ts'
import { signInPage } from './pages/sign-in-page.ts'
import { csrfOf, paramOf, type Visit } from './visit.ts'

export interface SignInOptions {
  readonly issuer: string
  readonly authenticate: AuthenticatePerson
  readonly log: Logger
  readonly metrics: IdentityMetrics
}

const COUNTED_AS = { known: 'signed_in', wrong: 'refused', too_many: 'locked' } as const

/** Without a form it shows the page; with one it goes on, or shows the page again with what was wrong. */
export type Step = (visit: Visit, form: URLSearchParams | undefined) => Promise<void>

export function createSignInStep(
  provider: Provider,
  { issuer, authenticate, log, metrics }: SignInOptions,
): Step {
  return async (visit, form) => {
    if (!form) {
      await show(visit, {})
      return
    }
    const person = (form.get('person') ?? '').trim()
    const address = visit.req.socket.remoteAddress ?? ''
    const outcome = await authenticate(person, form.get('password') ?? '', address)
    metrics.signInTried(COUNTED_AS[outcome.kind])
    if (outcome.kind === 'known') {
      const login = { accountId: outcome.person.id, remember: false }
      await provider.interactionFinished(visit.req, visit.res, { login })
    } else {
      log.warn({ reason: outcome.kind }, 'sign-in refused')
      await show(visit, { ...refusalOf(outcome), person })
    }
  }

  async function show(visit: Visit, shown: Partial<Refusal> & { readonly person?: string }): Promise<void> {
    const client = await provider.Client.find(paramOf(visit, 'client_id'))
    const { status = 200, headers = {}, person = '', error } = shown
    const redirectUri = paramOf(visit, 'redirect_uri')
    const page = signInPage({ issuer, client, redirectUri, csrf: csrfOf(visit), person, error })
    sendPage(visit.res, { status, headers, page, redirectUri })
  }
}

interface Refusal {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly error: string
}

function refusalOf(outcome: Exclude<Authentication, { kind: 'known' }>): Refusal {
  if (outcome.kind === 'wrong') {
    return { status: 403, headers: {}, error: 'The person or the password is wrong; try again.' }
  }
  const wait_s = String(Math.ceil(outcome.retryAfter_ms / 1000))
  const error = `Too many failed sign-ins; try again in ${wait_s} seconds.`
  return { status: 429, headers: { 'Retry-After': wait_s }, error }
}
