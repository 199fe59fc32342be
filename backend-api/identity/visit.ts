// One request of a browser to the pages of a sign-in that is under way.

import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { errors, type Provider } from 'oidc-provider'

/** What oidc-provider remembers of an authorization request while a person is asked. */
export type Interaction = Awaited<ReturnType<Provider['interactionDetails']>>

export interface Visit {
  readonly req: IncomingMessage
  readonly res: ServerResponse
  readonly interaction: Interaction
}

/** Undefined unless it comes from the browser that started the sign-in: its cookie is what ties a request to it. */
export async function visitOf(
  provider: Provider,
  req: IncomingMessage,
  res: ServerResponse,
  uid: string,
): Promise<Visit | undefined> {
  try {
    const interaction = await provider.interactionDetails(req, res)
    return interaction.uid === uid ? { req, res, interaction } : undefined
  } catch (error) {
    if (error instanceof errors.SessionNotFound) return undefined
    throw error
  }
}

/** What a form of these pages carries; derived from what only the server and its pages know of the interaction. */
export function csrfOf({ interaction }: Visit): string {
  return createHash('sha256').update(`csrf ${interaction.cid}`).digest('base64url')
}

/** Compares digests, so that neither the content nor the length of the token shows in the time it takes. */
export function carriesCsrf(form: URLSearchParams, visit: Visit): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(form.get('csrf') ?? ''), digest(csrfOf(visit)))
}

/** A parameter of the authorization request; empty when it was left out. */
export function paramOf({ interaction }: Visit, name: string): string {
  const value = interaction.params[name]
  return typeof value === 'string' ? value : ''
}
