import type { ErrorOut, KoaContextWithOIDC } from 'oidc-provider'
import { html, type Html } from './html.ts'
import { layout } from './layout.ts'
import { pageHeaders } from './send-page.ts'

/** What OAuth's errors mean to the person who sees them; the rest is for the developer of the application. */
const WORDS: Readonly<Record<string, string>> = {
  invalid_client:
    'The desk does not know the application that sent you here, or cannot read its description.',
  invalid_redirect_uri: 'The application wants to send you on to an address that it has not registered.',
  server_error: 'Something is wrong at the desk. Try again later.',
}
const OTHERWISE = 'This sign-in has expired, or the application asks for something that cannot be done.'

/** `developer`: what to tell whoever made the application. */
export function errorPage(issuer: string, message: string, developer?: string): Html {
  return layout(
    issuer,
    'Sign-in not possible',
    html`<h1>This sign-in cannot go on</h1>
      <p class="error" role="alert">${message}</p>
      ${developer === undefined ? undefined : html`<p class="foot">For its developer: <code>${developer}</code></p>`}`,
  )
}

/** For oidc-provider, where an error cannot be sent back to the client: a page for people, JSON for programs. */
export function renderError(ctx: KoaContextWithOIDC, issuer: string, out: ErrorOut): void {
  if (ctx.accepts('json', 'html') !== 'html') {
    ctx.body = out
    return
  }
  const message = `${WORDS[out.error] ?? OTHERWISE} Start again from the application.`
  ctx.set(pageHeaders())
  ctx.body = errorPage(issuer, message, [out.error, out.error_description].filter(Boolean).join(': ')).html
}
