// The two pages between an authorization request and its answer: sign-in and consent. Each is a GET and a form post.

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Provider } from 'oidc-provider'
import { createConsentStep, type ConsentOptions } from './consent-step.ts'
import { errorPage } from './pages/error-page.ts'
import { sendPage } from './pages/send-page.ts'
import { readBody } from './read-body.ts'
import { createSignInStep, type SignInOptions } from './sign-in-step.ts'
import { carriesCsrf, visitOf, type Visit } from './visit.ts'

const FORM_BYTES_MAX = 4096

const STRANGER = 'This sign-in has expired or belongs to another browser. Start again from the application.'
const FOREIGN_FORM = 'This form does not belong to the page it came from. Go back, reload it and try again.'

export type InteractionHandler = (req: IncomingMessage, res: ServerResponse, uid: string) => Promise<void>

/** Answers `{issuer}/interaction/{uid}`, for the browser that started the sign-in and for no other. */
export function createInteraction(
  provider: Provider,
  options: SignInOptions & ConsentOptions,
): InteractionHandler {
  const { issuer, log } = options
  const signIn = createSignInStep(provider, options)
  const consent = createConsentStep(provider, options)

  return async (req, res, uid) => {
    const fail = (status: number, message: string, headers = {}) => {
      log.warn({ status }, 'sign-in refused')
      sendPage(res, { status, headers, page: errorPage(issuer, message) })
    }
    const visit = await visitOf(provider, req, res, uid)
    if (!visit) fail(400, STRANGER)
    else if (req.method === 'GET' || req.method === 'HEAD') await step(visit, undefined)
    else if (req.method !== 'POST') fail(405, 'This page takes GET and POST.', { Allow: 'GET, POST' })
    else {
      const body = await readBody(req, FORM_BYTES_MAX)
      const form = new URLSearchParams(body)
      if (body === undefined) fail(413, `The form is larger than ${FORM_BYTES_MAX} bytes.`)
      else if (carriesCsrf(form, visit)) await submit(visit, form)
      else fail(400, FOREIGN_FORM)
    }
  }

  function step(visit: Visit, form: URLSearchParams | undefined): Promise<void> {
    return visit.interaction.prompt.name === 'login' ? signIn(visit, form) : consent(visit, form)
  }

  async function submit(visit: Visit, form: URLSearchParams): Promise<void> {
    const decision = form.get('decision')
    if (decision === 'switch') await startOver(visit)
    else if (decision === 'cancel') {
      const error_description = 'The person has cancelled.'
      await provider.interactionFinished(visit.req, visit.res, { error: 'access_denied', error_description })
    } else await step(visit, form)
  }

  /** Ends the session and begins the same request again, for somebody else. */
  async function startOver({ req, res, interaction }: Visit): Promise<void> {
    const session = await provider.Session.find(cookieOf(req, provider.cookieName('session')))
    await session?.destroy()
    await interaction.destroy()
    const query = new URLSearchParams()
    for (const [name, value] of Object.entries(interaction.params)) {
      // Only a resource may come more than once.
      for (const one of [value].flat()) query.append(name, String(one))
    }
    res.writeHead(303, { Location: `${issuer}/auth?${query.toString()}`, 'Cache-Control': 'no-store' }).end()
  }
}

function cookieOf(req: IncomingMessage, name: string): string {
  const cookies = (req.headers.cookie ?? '').split('; ')
  return cookies.find((cookie) => cookie.startsWith(`${name}=`))?.slice(name.length + 1) ?? ''
}
