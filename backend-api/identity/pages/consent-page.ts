import type { Client } from 'oidc-provider'
import type { PersonWithRole } from '../../../openapi/desk.gen.ts'
import { clientName, clientOrigin } from './client-name.ts'
import { html, type Html } from './html.ts'
import { layout } from './layout.ts'

/** What each scope lets an application do, in words. */
const SCOPES: Readonly<Record<string, { readonly does: string; readonly means: string }>> = {
  'tickets:read': { does: 'Read tickets', means: 'search and read the tickets that you can see' },
  'tickets:write': {
    does: 'Work on tickets',
    means: 'create and comment on tickets in your name, and do with them what your role allows',
  },
  'desk:admin': {
    does: 'Export the whole desk',
    means: 'take out all tickets, internal comments included',
  },
}

export interface ConsentRequest {
  readonly person: PersonWithRole
  readonly client: Client
  readonly redirectUri: string
  /** What the client would get. */
  readonly scopes: readonly string[]
}

export interface ConsentPage extends ConsentRequest {
  readonly issuer: string
  readonly csrf: string
}

export function consentPage({ issuer, csrf, person, client, redirectUri, scopes }: ConsentPage): Html {
  const name = clientName(client)
  return layout(
    issuer,
    `Allow ${name}?`,
    html`<h1>Allow <span class="client">${name}</span> to use the desk?</h1>
      <p class="soft">${clientOrigin(client, redirectUri)}</p>
      <p>You are signed in as <strong>${person.name}</strong>. The application may then, as you:</p>
      <ul class="scopes">
        ${scopes.map((scope) => {
          const { does, means } = SCOPES[scope] ?? { does: scope, means: '' }
          return html`<li>
            <strong>${does}</strong> <code>${scope}</code>
            <span>${means}</span>
          </li>`
        })}
      </ul>
      <form method="post">
        <input type="hidden" name="csrf" value="${csrf}" />
        <div class="actions">
          <button name="decision" value="allow">Allow</button>
          <button class="quiet" name="decision" value="cancel">Cancel</button>
        </div>
        <p class="foot">
          Not ${person.name}?
          <button class="link" name="decision" value="switch">Sign in as somebody else</button>
        </p>
      </form>`,
  )
}
