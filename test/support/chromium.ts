// A real browser and the loopback callback of a native client, for sign-ins as people do them.
import { existsSync } from 'node:fs'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { chromium, type Browser, type Page } from 'playwright-core'

const EXECUTABLE = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find((path) =>
  existsSync(path),
)
const ARGUMENTS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

export async function launchChromium(): Promise<Browser> {
  if (EXECUTABLE === undefined) throw new Error('Chromium is not installed: apt-get install chromium')
  return chromium.launch({ executablePath: EXECUTABLE, args: ARGUMENTS, headless: true })
}

export interface Person {
  readonly person: string
  readonly password: string
}

/** Signs in where a form asks for it, and allows; `onConsent` sees the page before. */
export async function signInAndAllow(
  page: Page,
  url: URL,
  { person, password }: Person,
  onConsent: (page: Page) => Promise<void> = () => Promise.resolve(),
): Promise<void> {
  await page.goto(url.href)
  if (await page.getByLabel('Password').isVisible()) {
    await page.getByLabel('Person').fill(person)
    await page.getByLabel('Password').fill(password)
    await page.getByRole('button', { name: 'Sign in' }).click()
  }
  await onConsent(page)
  await page.getByRole('button', { name: 'Allow' }).click()
  await page.getByText('You can close this window').waitFor()
}

export interface Callback {
  readonly url: string
  /** Parameters of the last redirect that came in. */
  readonly received: () => URLSearchParams
  close(): Promise<void>
}

/** The redirect URI of a native client (RFC 8252 section 7.3), on a port of its own. */
export async function listenForCallback(): Promise<Callback> {
  let received = new URLSearchParams()
  const server = createServer((req, res) => {
    const { pathname, searchParams } = new URL(req.url ?? '/', 'http://127.0.0.1')
    if (pathname === '/callback') received = searchParams
    res.writeHead(200, { 'content-type': 'text/html' }).end('<p>You can close this window.</p>')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/callback`,
    received: () => received,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
