// Does the issuer know the gateway, and does it let it do what it does for people? No person's token is needed.

import { requestToken, type Grant } from '../../src/backend/token-endpoint.ts'
import type { DoctorContext } from './context.ts'
import { ok, quoted, skipped, wrong, type Finding } from './finding.ts'

const TOKEN_EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange'
const ACCESS_TOKEN = 'urn:ietf:params:oauth:token-type:access_token'

export async function checkClient(context: DoctorContext): Promise<Finding> {
  const { config, client, issuer } = context
  if (!(await issuer.metadata().catch(() => undefined))) return skipped('the issuer was not found')
  const resource = config.backendAudience
  if (config.assertionKey)
    return judge(context, await requestToken(client, { grant_type: 'client_credentials', resource }))
  // Nobody's token: an issuer that finds fault with it has accepted the client before.
  const grant = await requestToken(client, {
    grant_type: TOKEN_EXCHANGE,
    subject_token: 'not-a-token',
    subject_token_type: ACCESS_TOKEN,
    resource,
  })
  return judge(context, grant)
}

function judge({ config }: DoctorContext, grant: Grant): Finding {
  const accepted = ok(`the issuer accepts the gateway as ${quoted(config.clientId)}`)
  switch (grant.kind) {
    case 'granted':
      return config.assertionKey
        ? accepted
        : wrong(
            'the issuer exchanged a token that nobody issued',
            'Mend the issuer: it checks no subject token.',
          )
    case 'unreachable':
      return wrong(`the token endpoint gives no answer: ${grant.cause}`, 'Let this machine reach it.')
    case 'refused':
      return judgeRefusal(config, grant.status, grant.error) ?? accepted
  }
}

/** Undefined when only the subject token was refused. The codes are those of RFC 6749 section 5.2 and RFC 8693. */
function judgeRefusal(
  { clientId, backendAudience, assertionKey }: DoctorContext['config'],
  status: number,
  error: string,
): Finding | undefined {
  if (error === 'invalid_client' || status === 401)
    return wrong(
      `the issuer does not accept the client ${quoted(clientId)} with its secret`,
      'Set CLIENT_ID and CLIENT_SECRET to what the issuer has for the gateway.',
    )
  switch (error) {
    case 'invalid_request':
    case 'invalid_grant':
      if (!assertionKey) return undefined
      break
    case 'unauthorized_client':
    case 'unsupported_grant_type':
      return wrong(
        `the issuer does not let ${quoted(clientId)} use the grant that it needs (${error})`,
        assertionKey ? 'Allow it client credentials.' : 'Allow it token exchange, or set ASSERTION_KEY.',
      )
    case 'invalid_target':
      return wrong(
        `the issuer gives ${quoted(clientId)} no tokens for ${backendAudience}`,
        'Set BACKEND_AUDIENCE to the resource identifier that the issuer has for the ticket service.',
      )
  }
  return wrong(
    `the token endpoint refuses with HTTP ${status} and ${quoted(error)}`,
    "Look into the issuer's log for the reason.",
  )
}
