// Goes through the sign-in and consent pages as a browser without scripts does: cookies, redirects, forms.

export interface Credentials {
  readonly person: string
  readonly password: string
}

const STEPS_MAX = 10

/**
 * From the authorization request to the redirect back to the client, whose URL is returned. Signs in and allows.
 * Throws with the page's own words when it refuses.
 */
export async function passPages(start: URL, redirectUri: string, credentials: Credentials): Promise<URL> {
  const cookies = new Map<string, string>()
  let url = start
  let form: URLSearchParams | undefined
  for (let step = 0; step < STEPS_MAX; step += 1) {
    const response = await fetch(url, {
      redirect: 'manual',
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
      ...(form && { method: 'POST', body: form }),
    })
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
      cookies.set(name, value)
    }
    const location = response.headers.get('location')
    const page = await response.text()
    if (location === null && !response.ok) {
      throw new Error(`Sign-in refused (${response.status}): ${messageOf(page)}`)
    }
    form = location === null ? filledForm(page, credentials) : undefined
    url = location === null ? url : new URL(location, url)
    if (url.href.startsWith(redirectUri)) return url
  }
  throw new Error('Sign-in refused: too many pages.')
}

function filledForm(page: string, { person, password }: Credentials): URLSearchParams {
  const csrf = /name="csrf" value="([^"]+)"/.exec(page)?.[1] ?? ''
  return page.includes('name="password"')
    ? new URLSearchParams({ csrf, person, password, decision: 'sign-in' })
    : new URLSearchParams({ csrf, decision: 'allow' })
}

function messageOf(page: string): string {
  return /role="alert"[^>]*>([^<]*)/.exec(page)?.[1] ?? page
}
