// Finds a request's place below the issuer's path, however the server around it has cut the URL.

import type { IncomingMessage } from 'node:http'

// Express leaves the whole URL here when it mounts a handler below a path.
type MountedRequest = IncomingMessage & { originalUrl?: string }

const METADATA_PATHS = ['/.well-known/oauth-authorization-server', '/.well-known/openid-configuration']

/**
 * Rewrites the request so that its path is relative to the issuer, and so that every URL the authorization server
 * publishes comes from the issuer and never from a Host header. RFC 8414 section 3.1 puts the issuer's path after the
 * well-known one; that spelling is served too. Returns the relative path, or undefined when it is not the issuer's.
 */
export function pointAtIssuer(req: MountedRequest, issuer: URL): string | undefined {
  const mount = issuer.pathname
  const [path, query] = splitOnce(req.originalUrl ?? req.url ?? '/', '?')
  const metadata = METADATA_PATHS.find((known) => path === `${known}${mount}`)
  const relative = metadata ?? (path.startsWith(`${mount}/`) ? path.slice(mount.length) : undefined)
  if (relative === undefined) return undefined

  req.url = query === undefined ? relative : `${relative}?${query}`
  req.originalUrl = `${mount}${req.url}`
  req.headers.host = issuer.host
  req.headers['x-forwarded-proto'] = issuer.protocol.slice(0, -1)
  delete req.headers['x-forwarded-host']
  return relative
}

function splitOnce(text: string, separator: string): [string, string?] {
  const at = text.indexOf(separator)
  return at === -1 ? [text] : [text.slice(0, at), text.slice(at + 1)]
}
