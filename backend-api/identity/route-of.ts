// The paths of the authorization server as templates, so that logs and metrics name the place and never an id.

export const IDENTITY_ROUTES = [
  '/.well-known/{document}',
  '/auth',
  '/auth/{uid}',
  '/interaction/{uid}',
  '/jwks',
  '/reg',
  '/style.css',
  '/token',
  '/token/revocation',
] as const

type IdentityRoute = (typeof IDENTITY_ROUTES)[number]

/** The template of a path below the issuer's; undefined for one that is not served. */
export function identityRouteOf(path: string): IdentityRoute | undefined {
  const template = path.replace(/^(\/(?:auth|interaction))\/[^/]+$/, '$1/{uid}')
  if (/^\/\.well-known\/[^/]+$/.test(path)) return '/.well-known/{document}'
  return IDENTITY_ROUTES.find((route) => route === template)
}
