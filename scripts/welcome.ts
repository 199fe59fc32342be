// What `npm start` prints when the desk runs: where everything is, tokens, and what to try.

import type { LocalEnvironment } from './local-environment.ts'

export interface PersonToken {
  readonly person: string
  /** What the person is to the desk, in words. */
  readonly role: string
  readonly token: string
}

/** Plain text, ready to paste from. */
export function welcome(
  environment: LocalEnvironment,
  adminPorts: readonly number[],
  tokens: readonly PersonToken[],
  hours: number,
): string {
  const { mcpUrl, serviceUrl, issuer, portVariables } = environment
  const token = (rest: string): string => `$(${portVariables}npm run -s token -- ${rest})`
  const post = `-H 'Content-Type: application/json' -H 'Accept: application/json'`
  const service = serviceUrl.replace(/\/v1$/, '')
  const gateway = mcpUrl.replace(/\/mcp$/, '')

  return `The desk runs. Ctrl-C stops it.

  MCP endpoint   ${mcpUrl}
  REST service   ${serviceUrl}
  Issuer         ${issuer}/.well-known/openid-configuration
  Health         ${gateway}/readyz   ${service}/readyz
  Metrics        ${adminPorts.map((port) => `http://127.0.0.1:${port}/metrics`).join('   ')}

Tokens for the MCP endpoint, valid for ${hours} hours (again: ${portVariables}npm run token -- alice):
${tokens.map(({ person, role, token: value }) => `\n  ${person} (${role})\n  ${value}`).join('\n')}

A first tool call, as alice:

  curl -s ${mcpUrl} -H "Authorization: Bearer ${token('alice')}" ${post} -d '${call('tickets_search', { query: 'printer' })}'

What to try next:

  Read a ticket        the same with ${call('ticket_get', { id: 'T-1' })}
  Be refused           the same with ${call('desk_export', {})}
                       (alice lacks the scope desk:admin, dave has it)
  Skip the gateway     curl -s '${serviceUrl}/tickets?query=printer' -H "Authorization: Bearer ${token('alice --service')}"
  Connect an agent     ${mcpUrl} as a Streamable HTTP server; it opens a page to sign in at,
                       or takes the header Authorization: Bearer <token>
  See it all           ${portVariables}npm run doctor; npm run events -- T-1 says what happened to a ticket
  Sign in              as carol, erin, alice, bob or dave; their password: grep PASSWORD .local/environment.json
`
}

function call(tool: string, input: Readonly<Record<string, string>>): string {
  const params = { name: `acme_desk__${tool}`, arguments: input }
  return JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })
}
