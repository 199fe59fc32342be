// How pages go out: never cached, never framed, no script, nothing from elsewhere.

import type { ServerResponse } from 'node:http'
import type { Html } from './html.ts'

export interface PageAnswer {
  readonly status: number
  readonly page: Html
  /** Where a form of the page may lead in the end: browsers apply form-action to redirects too. */
  readonly redirectUri?: string
  readonly headers?: Readonly<Record<string, string>>
}

export function sendPage(res: ServerResponse, { status, page, redirectUri, headers }: PageAnswer): void {
  res.writeHead(status, { ...pageHeaders(redirectUri), ...headers })
  res.end(page.html)
}

export function pageHeaders(redirectUri?: string): Record<string, string> {
  const client = redirectUri === undefined ? '' : ` ${cspSource(new URL(redirectUri))}`
  return {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy':
      `default-src 'none'; style-src 'self'; img-src data:; form-action 'self'${client}; ` +
      "base-uri 'none'; frame-ancestors 'none'",
    'X-Frame-Options': 'DENY',
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    'Cache-Control': 'no-store',
  }
}

/** A Content-Security-Policy cannot name an IPv6 address, so for one it names the scheme. */
function cspSource({ hostname, origin, protocol }: URL): string {
  return hostname.startsWith('[') ? protocol : origin
}
