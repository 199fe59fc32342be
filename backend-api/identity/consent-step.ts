// The second page: may this client do that as you? Makes the grant that comes of a yes.

import type { Provider } from 'oidc-provider'
import type { FindPerson } from './accounts.ts'
import { consentPage, type ConsentRequest } from './pages/consent-page.ts'
import { errorPage } from './pages/error-page.ts'
import { sendPage } from './pages/send-page.ts'
import { scopesOfRole } from './role-scopes.ts'
import type { Step } from './sign-in-step.ts'
import { csrfOf, paramOf, type Visit } from './visit.ts'

export interface ConsentOptions {
  readonly issuer: string
  readonly findPerson: FindPerson
}

const GONE = 'The person or the application is gone. Start again from the application.'

export function createConsentStep(provider: Provider, { issuer, findPerson }: ConsentOptions): Step {
  return async (visit, form) => {
    const { req, res } = visit
    const request = await requestOf(visit)
    if (!request) {
      sendPage(res, { status: 400, page: errorPage(issuer, GONE) })
    } else if (request.scopes.length === 0) {
      const error_description = 'The role of this person allows none of the scopes.'
      await provider.interactionFinished(req, res, { error: 'access_denied', error_description })
    } else if (form?.get('decision') === 'allow') {
      const grantId = await grant(request, resourcesOf(visit))
      await provider.interactionFinished(req, res, { consent: { grantId } })
    } else {
      const page = consentPage({ ...request, issuer, csrf: csrfOf(visit) })
      sendPage(res, { status: 200, page, redirectUri: request.redirectUri })
    }
  }

  /** What was asked for as far as the person's role allows; undefined when the person or the client is gone. */
  async function requestOf(visit: Visit): Promise<ConsentRequest | undefined> {
    const [client, person] = await Promise.all([
      provider.Client.find(paramOf(visit, 'client_id')),
      findPerson(visit.interaction.session?.accountId ?? ''),
    ])
    if (!client || !person) return undefined
    const asked = paramOf(visit, 'scope').split(' ')
    const scopes = scopesOfRole(person.role).filter((scope) => asked.includes(scope))
    return { person, client, redirectUri: paramOf(visit, 'redirect_uri'), scopes }
  }

  /**
   * A new one each time, so that revoking one sign-in of a client leaves its others alone. Returns its id. OpenID's own
   * scope is refused for good: the server would ask again and again otherwise.
   */
  function grant({ person, client, scopes }: ConsentRequest, resources: readonly string[]): Promise<string> {
    const made = new provider.Grant({ accountId: person.id, clientId: client.clientId })
    for (const resource of resources) made.addResourceScope(resource, [...scopes])
    made.rejectOIDCScope(['openid'])
    return made.save()
  }
}

function resourcesOf({ interaction }: Visit): readonly string[] {
  return [interaction.params['resource']].flat().filter((resource) => typeof resource === 'string')
}
