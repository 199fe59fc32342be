// What an MCP client remembers of its sign-in, in the form that the official SDKs ask for. Works for both generations.
import type {
  OAuthClientMetadata,
  OAuthClientProvider,
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from '@modelcontextprotocol/client'

export interface RememberedSignIn extends OAuthClientProvider {
  /** Where the SDK wants the browser to go. */
  readonly wanted: () => URL
  readonly registered: () => StoredOAuthClientInformation | undefined
  readonly held: () => StoredOAuthTokens | undefined
}

/** `documentUrl`: the client has a metadata document; left out, it registers. */
export function rememberSignIn(redirectUrl: string, documentUrl?: string): RememberedSignIn {
  let client: StoredOAuthClientInformation | undefined
  let tokens: StoredOAuthTokens | undefined
  let verifier = ''
  let wanted: URL | undefined
  let discovered: OAuthDiscoveryState | undefined
  const clientMetadata: OAuthClientMetadata = {
    client_name: 'Test agent',
    redirect_uris: [redirectUrl],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  }
  return {
    redirectUrl,
    clientMetadata,
    ...(documentUrl !== undefined && { clientMetadataUrl: documentUrl }),
    clientInformation: () => client,
    saveClientInformation: (information) => void (client = information),
    tokens: () => tokens,
    saveTokens: (saved) => void (tokens = saved),
    redirectToAuthorization: (url) => void (wanted = url),
    saveCodeVerifier: (saved) => void (verifier = saved),
    codeVerifier: () => verifier,
    saveDiscoveryState: (state) => void (discovered = state),
    discoveryState: () => discovered,
    wanted() {
      if (!wanted) throw new Error('The client has not asked for a sign-in.')
      return wanted
    },
    registered: () => client,
    held: () => tokens,
  }
}
