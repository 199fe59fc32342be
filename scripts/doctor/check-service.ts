// Is the ticket service up, can it do its work, and does it speak the contract that the gateway was built with?

import { z } from 'zod'
import { mayBreak } from '../../src/tools/catalogue-lock-rule.ts'
import { ask, jsonOf } from './ask.ts'
import type { DoctorContext } from './context.ts'
import { ok, quoted, skipped, wrong, type Finding } from './finding.ts'

const Contract = z.object({ info: z.object({ version: z.string() }) })

export async function checkService({ config }: DoctorContext): Promise<Finding> {
  const at = under(config.backendUrl)
  const ready = await ask(at('/readyz'))
  if (ready.kind === 'silent')
    return wrong(
      `${config.backendUrl.href} cannot be reached: ${ready.cause}`,
      'Start it, or correct BACKEND_URL; if it runs and hangs, restart it.',
    )
  if (ready.status === 200) return ok(`${config.backendUrl.href} is ready`)
  const alive = await ask(at('/healthz'))
  if (alive.kind === 'answer' && alive.status === 200)
    return wrong(
      `${config.backendUrl.href} lives and is not ready (HTTP ${ready.status})`,
      'Look into its log: it is stopping, or its database does not answer.',
    )
  return wrong(
    `${config.backendUrl.href} is not a ticket service (HTTP ${ready.status} at /readyz)`,
    'Correct BACKEND_URL: it ends with /v1.',
  )
}

export async function checkContract({ config, contractVersion: ours }: DoctorContext): Promise<Finding> {
  const answer = await ask(under(config.backendUrl)('/openapi.json'))
  if (answer.kind === 'silent') return skipped('the ticket service cannot be reached')
  const theirs = Contract.safeParse(jsonOf(answer)).data?.info.version
  if (theirs === undefined)
    return wrong(
      `${config.backendUrl.href} has no contract at /openapi.json (HTTP ${answer.status})`,
      'Correct BACKEND_URL: it ends with /v1.',
    )
  if (theirs === ours) return ok(`both sides have the contract ${ours}`)
  if (!mayBreak(theirs, ours) && !mayBreak(ours, theirs))
    return ok(`the service has the contract ${quoted(theirs)}, compatible with ${ours} here`)
  return wrong(
    `the service has the contract ${quoted(theirs)} and the gateway ${ours}, which do not fit`,
    'Bring the older of the two up to date.',
  )
}

function under(base: URL): (path: string) => string {
  return (path) => `${base.href.replace(/\/$/, '')}${path}`
}
