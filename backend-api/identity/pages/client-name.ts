// How a client is named to a person: what it calls itself, and what is known of it for certain.

import type { Client } from 'oidc-provider'
import { isLoopback } from '../loopback.ts'
import { html, type Html } from './html.ts'

export function clientName(client: Client): string {
  return client.clientName ?? 'An application'
}

/**
 * Its host where its id is its address; where it only calls itself something, that it does. Either way where the answer
 * goes, since any program of a computer can pass for a client that is sent back to it.
 */
export function clientOrigin(client: Client, redirectUri: string): Html {
  const { host, hostname } = new URL(redirectUri)
  const place = isLoopback(hostname) ? 'this computer' : host
  const document = URL.parse(client.clientId)
  if (document && /^https?:$/.test(document.protocol)) {
    return html`It is the application of <strong>${document.host}</strong> and runs on
      <strong>${place}</strong>.`
  }
  return html`It calls itself so and runs on <strong>${place}</strong>; nobody has checked its name.`
}
