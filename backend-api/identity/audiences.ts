// Which resources tokens can be asked for, and what their audience is then called (RFC 8707).

export interface Audiences {
  /** The URLs under which clients know the gateway; the first one is meant where a request names none. */
  readonly gateway: readonly string[]
  /** The resource identifier of the ticket service. */
  readonly service: string
}

/** The registered spelling of a resource, or undefined for a foreign one; one trailing slash makes no difference. */
export function findAudience(resource: string, known: readonly string[]): string | undefined {
  const wanted = withoutTrailingSlash(resource)
  return known.find((audience) => withoutTrailingSlash(audience) === wanted)
}

function withoutTrailingSlash(url: string): string {
  return url.endsWith('/') ? url.slice(0, -1) : url
}
