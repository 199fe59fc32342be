// The gateway itself, if it runs: is it ready, does it send clients to our issuer, does it show its metrics?

import { z } from 'zod'
import { ask, jsonOf, type Answer } from './ask.ts'
import type { DoctorContext } from './context.ts'
import { ok, quoted, skipped, wrong, type Finding } from './finding.ts'

const NotReady = z.object({ not_ready: z.array(z.string()) })
const Resource = z.object({ resource: z.string(), authorization_servers: z.array(z.string()) })

export async function checkGateway({ config }: DoctorContext): Promise<Finding> {
  const url = publicUrl(config)
  const ready = await askReady(url)
  if (ready.kind === 'silent') return skipped(`nothing answers at ${url.origin} (${ready.cause})`)
  const parts = NotReady.safeParse(jsonOf(ready)).data?.not_ready
  if (parts) return wrong(`it is not ready: ${quoted(parts.join(', '))}`, 'Mend what the lines on those say.')

  const path = `/.well-known/oauth-protected-resource${url.pathname.replace(/\/$/, '')}`
  const answer = await ask(new URL(path, url))
  const metadata = answer.kind === 'answer' ? Resource.safeParse(jsonOf(answer)).data : undefined
  if (!metadata)
    return wrong(
      `${url.origin} has no protected resource metadata at ${path}`,
      'Let a proxy in front pass /.well-known/ on, or correct PUBLIC_URL.',
    )
  if (!metadata.authorization_servers.includes(config.issuer))
    return wrong(
      `${url.href} sends clients to ${quoted(metadata.authorization_servers.join(', '))}, not to ${config.issuer}`,
      'Start the gateway again with the configuration that was checked here.',
    )
  if (!config.publicUrls.some(({ href }) => href === metadata.resource))
    return wrong(
      `${url.href} calls itself ${quoted(metadata.resource)}`,
      'Start the gateway again with the PUBLIC_URL that was checked here.',
    )
  return ok(`${url.href} is ready and sends clients to the issuer`)
}

export async function checkAdminPort({ config }: DoctorContext): Promise<Finding> {
  if (config.adminPort === undefined)
    return skipped('ADMIN_PORT is not set here; the local desk chooses a port, and npm start says which')
  const url = `http://${reachable(config.adminHost)}:${config.adminPort}/metrics`
  const answer = await ask(url)
  if (answer.kind === 'answer' && answer.status === 200) return ok(`${url} has metrics`)
  const gateway = await askReady(publicUrl(config))
  if (answer.kind === 'silent' && gateway.kind === 'silent') return skipped('the gateway does not run')
  const what = answer.kind === 'silent' ? answer.cause : `HTTP ${answer.status}`
  return wrong(
    `the gateway runs and ${url} has no metrics: ${what}`,
    'Start it with this ADMIN_PORT and ADMIN_HOST.',
  )
}

function publicUrl({ publicUrls: [url] }: DoctorContext['config']): URL {
  if (!url) throw new Error('The configuration has no public URL.')
  return url
}

function askReady(url: URL): Promise<Answer> {
  return ask(new URL('/readyz', url))
}

/** Whoever listens at all addresses is asked at loopback. */
function reachable(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1'
  if (host === '::') return '[::1]'
  return host.includes(':') ? `[${host}]` : host
}
