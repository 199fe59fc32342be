// The sign-in step between an authorization request and its answer: one form post with a person and the password.

import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { errors, type Provider } from 'oidc-provider'
import type { Logger } from 'pino'
import type { FindPerson } from './accounts.ts'
import { readForm } from './form.ts'
import { sendProblem, type IdentityProblem } from './problem.ts'

const FAILURES_PER_MINUTE_MAX = 30

export interface InteractionOptions {
  readonly password: string
  readonly findPerson: FindPerson
  /** The time in milliseconds. */
  readonly now: () => number
  readonly log: Logger
}

export type InteractionHandler = (req: IncomingMessage, res: ServerResponse, uid: string) => Promise<void>

type SignIn = { readonly accountId: string } | { readonly refusal: IdentityProblem }

/** Answers `{issuer}/interaction/{uid}`: GET says what to send, POST signs the person in and goes on with the request. */
export function createInteraction(provider: Provider, options: InteractionOptions): InteractionHandler {
  const failures = countFailures(options.now)

  async function signIn(req: IncomingMessage, res: ServerResponse, uid: string): Promise<SignIn> {
    if (req.method !== 'POST') return refuse(405, 'Send the sign-in as a POST.', { Allow: 'GET, POST' })
    if (!(await belongsToBrowser(provider, req, res, uid))) {
      return refuse(
        400,
        'This sign-in has expired or belongs to another browser; start again from the application.',
      )
    }
    const form = await readForm(req)
    if (!form) return refuse(413, 'The form is larger than 4096 bytes.')

    const person = await options.findPerson(form.get('person') ?? '')
    // Nothing waits between this look and the count, or requests side by side would all pass it.
    if (failures.thisMinute() >= FAILURES_PER_MINUTE_MAX) {
      return refuse(429, 'Too many failed sign-ins; try again in a minute.', { 'Retry-After': '60' })
    }
    const rightPassword = equalInConstantTime(form.get('password') ?? '', options.password)
    if (person && rightPassword) return { accountId: person.id }
    failures.add()
    return refuse(401, 'The person or the password is wrong; try again.')
  }

  return async (req, res, uid) => {
    if (req.method === 'GET' || req.method === 'HEAD') {
      explain(res)
      return
    }
    const outcome = await signIn(req, res, uid)
    if ('refusal' in outcome) {
      options.log.warn({ status: outcome.refusal.status }, 'sign-in refused')
      sendProblem(res, outcome.refusal)
      return
    }
    const result = { login: { accountId: outcome.accountId, remember: false }, consent: {} }
    await provider.interactionFinished(req, res, result, { mergeWithLastSubmission: false })
  }
}

function refuse(status: number, detail: string, headers: Record<string, string> = {}): SignIn {
  return { refusal: { status, detail, headers } }
}

function explain(res: ServerResponse): void {
  res.writeHead(200, { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-store' })
  res.end('To sign in, send the form fields "person" and "password" to this address with POST.\n')
}

/** The cookie of the browser that started the sign-in is what ties the post to it. */
async function belongsToBrowser(
  provider: Provider,
  req: IncomingMessage,
  res: ServerResponse,
  uid: string,
): Promise<boolean> {
  try {
    const interaction = await provider.interactionDetails(req, res)
    return interaction.uid === uid
  } catch (error) {
    if (error instanceof errors.SessionNotFound) return false
    throw error
  }
}

/** Everybody has the same password, so one count for all: a count per person would multiply the guesses. */
function countFailures(now: () => number): { thisMinute(): number; add(): void } {
  let minute = 0
  let count = 0
  const thisMinute = (): number => {
    const current = Math.floor(now() / 60_000)
    if (current !== minute) {
      minute = current
      count = 0
    }
    return count
  }
  return { thisMinute, add: () => void (count = thisMinute() + 1) }
}

/** Compares digests, so that neither the content nor the length of the secret shows in the time it takes. */
function equalInConstantTime(given: string, secret: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(given), digest(secret))
}
