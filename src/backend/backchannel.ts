// The issuer by another way: its URLs say where browsers reach it, and that is not always where this process does.

export type FetchUrl = (url: string | URL, init?: RequestInit) => Promise<Response>

/**
 * A fetch that asks the origin `backchannel` for whatever is at the issuer's own origin, and leaves other URLs alone.
 * Paths stay, and so do the names in metadata and tokens. Without a backchannel it is `fetch` itself.
 */
export function throughBackchannel(
  issuer: string,
  backchannel: string | undefined,
  fetch: FetchUrl,
): FetchUrl {
  if (backchannel === undefined) return fetch
  const { origin } = new URL(issuer)
  return (named, init) => {
    const url = new URL(named)
    return fetch(url.origin === origin ? new URL(url.pathname + url.search, backchannel) : url, init)
  }
}
