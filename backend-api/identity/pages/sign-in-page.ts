import type { Client } from 'oidc-provider'
import { clientName, clientOrigin } from './client-name.ts'
import { html, type Html } from './html.ts'
import { layout } from './layout.ts'

export interface SignInPage {
  readonly issuer: string
  readonly client: Client | undefined
  readonly redirectUri: string
  readonly csrf: string
  /** What was typed before. */
  readonly person: string
  readonly error: string | undefined
}

export function signInPage({ issuer, client, redirectUri, csrf, person, error }: SignInPage): Html {
  const wrong = error === undefined ? undefined : html` aria-invalid="true" aria-describedby="error"`
  const cursor = html` autofocus`
  return layout(
    issuer,
    error === undefined ? 'Sign in' : 'Error: sign in',
    html`<h1>Sign in</h1>
      ${
        client &&
        html`<p>to go on to <strong>${clientName(client)}</strong>.</p>
          <p class="soft">${clientOrigin(client, redirectUri)}</p>`
      }
      <form method="post">
        <input type="hidden" name="csrf" value="${csrf}" />
        ${error === undefined ? undefined : html`<p class="error" id="error" role="alert">${error}</p>`}
        <label for="person">Person</label>
        <input
          id="person"
          name="person"
          value="${person}"
          required
          maxlength="128"
          autocomplete="username"
          autocapitalize="none"
          spellcheck="false"
          ${wrong}${person === '' ? cursor : undefined}
        />
        <label for="password">Password</label>
        <input
          id="password"
          name="password"
          type="password"
          required
          maxlength="1000"
          autocomplete="current-password"
          ${wrong}${person === '' ? undefined : cursor}
        />
        <div class="actions">
          <button name="decision" value="sign-in">Sign in</button>
          <button class="quiet" name="decision" value="cancel" formnovalidate>Cancel</button>
        </div>
      </form>`,
  )
}
