// Does this machine have the time that the others have? Tokens end by the clock, and the gateway tolerates 5 seconds.

import type { FetchUrl } from '../../src/backend/backchannel.ts'
import { ask } from './ask.ts'
import type { DoctorContext } from './context.ts'
import { ok, skipped, wrong, type Finding } from './finding.ts'

const TOLERATED_MS = 5_000
/** The Date header has whole seconds (RFC 9110 section 5.6.7). */
const RESOLUTION_MS = 1_000

export async function checkClock({ config, issuer, now }: DoctorContext): Promise<Finding> {
  const [ofIssuer, ofService] = await Promise.all([
    skewMs(new URL(config.issuer), issuer.fetch, now),
    skewMs(config.backendUrl, fetch, now),
  ])
  const skews = [
    ['the issuer', ofIssuer],
    ['the ticket service', ofService],
  ] as const
  const known = skews.flatMap(([who, skew]) => (skew === undefined ? [] : [{ who, skew }]))
  if (known.length === 0) return skipped('nobody said what time it is')
  const off = known.filter(({ skew }) => Math.abs(skew) > TOLERATED_MS)
  if (off.length === 0) return ok(`within 5 seconds of ${known.map(({ who }) => who).join(' and ')}`)
  const words = off.map(({ who, skew }) => `${who} is ${inWords(skew)} this machine`)
  return wrong(words.join(' and '), 'Set the clocks by NTP: tokens are refused or outlive their end.')
}

/** How far the other clock is ahead; 0 where the two may be equal. Undefined when it was not said. */
async function skewMs(url: URL, fetchUrl: FetchUrl, now: () => number): Promise<number | undefined> {
  const before = now()
  const answer = await ask(url, fetchUrl)
  const after = now()
  if (answer.kind === 'silent') return undefined
  const theirs = Date.parse(answer.headers.get('date') ?? '')
  if (Number.isNaN(theirs)) return undefined
  if (theirs > after) return theirs - after
  return Math.min(0, theirs + RESOLUTION_MS - before)
}

function inWords(skew: number): string {
  return `${Math.round(Math.abs(skew) / 1000)} seconds ${skew > 0 ? 'ahead of' : 'behind'}`
}
