// OAuth 2.0 Protected Resource Metadata (RFC 9728): where a client learns which issuer to ask for a token.
import type { Request, RequestHandler } from 'express'
import type { Scope } from '../tools/define-tool.ts'

const WELL_KNOWN = '/.well-known/oauth-protected-resource'
const SCOPES: readonly Scope[] = ['tickets:read', 'tickets:write', 'desk:admin']

export interface ProtectedResource {
  /** Paths of the metadata: the one with the resource's path (RFC 9728 section 3.1) and the root form. */
  readonly paths: readonly string[]
  readonly serve: RequestHandler
  /** URL of the metadata, for challenges. */
  metadataUrl(req: Request): string
}

/** `publicUrls`: the first is canonical; a client that used the host of another one is told that one. */
export function createProtectedResource(publicUrls: readonly URL[], issuer: string): ProtectedResource {
  const [canonical] = publicUrls
  if (!canonical) throw new Error('At least one public URL is needed.')
  const used = (req: Request) =>
    publicUrls.find(({ host }) => host === req.headers.host?.toLowerCase()) ?? canonical
  const path = canonical.pathname.replace(/\/$/, '')
  return {
    paths: [`${WELL_KNOWN}${path}`, WELL_KNOWN],
    metadataUrl: (req) => `${used(req).origin}${WELL_KNOWN}${path}`,
    serve: (req, res) => {
      res.setHeader('Cache-Control', 'public, max-age=300')
      res.json({
        resource: used(req).href,
        authorization_servers: [issuer],
        scopes_supported: SCOPES,
        bearer_methods_supported: ['header'],
        resource_name: 'Ticket desk',
      })
    },
  }
}
