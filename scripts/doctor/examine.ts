// All checks, in the order in which they are told, run at the same time.

import { setTimeout as sleep } from 'node:timers/promises'
import { checkAudit } from './check-audit.ts'
import { checkCatalogue } from './check-catalogue.ts'
import { checkClient } from './check-client.ts'
import { checkClock } from './check-clock.ts'
import { checkAdminPort, checkGateway } from './check-gateway.ts'
import { checkIssuer, checkKeys } from './check-issuer.ts'
import { checkPerson } from './check-person.ts'
import { checkRedis } from './check-redis.ts'
import { checkContract, checkService } from './check-service.ts'
import type { DoctorContext } from './context.ts'
import { wrong, type Finding, type Reported } from './finding.ts'

/** Somebody waits in front of the screen. */
const CHECK_MAX_MS = 3_000

type Run = (context: DoctorContext) => Promise<Finding>

const CHECKS: readonly (readonly [check: string, run: Run])[] = [
  ['issuer', checkIssuer],
  ['keys', checkKeys],
  ['client', checkClient],
  ['person', checkPerson],
  ['ticket service', checkService],
  ['contract', checkContract],
  ['catalogue', checkCatalogue],
  ['redis', checkRedis],
  ['clock', checkClock],
  ['gateway', checkGateway],
  ['admin port', checkAdminPort],
  ['audit', checkAudit],
]

export function examine(context: DoctorContext): Promise<Reported[]> {
  return Promise.all(CHECKS.map(async ([check, run]) => ({ check, finding: await bounded(run(context)) })))
}

async function bounded(running: Promise<Finding>): Promise<Finding> {
  const inTime = new AbortController()
  const tooLate = sleep(CHECK_MAX_MS, undefined, { signal: inTime.signal }).then(() =>
    wrong(
      `no answer within ${CHECK_MAX_MS / 1000} seconds`,
      'See whether the other side hangs, and try again.',
    ),
  )
  tooLate.catch(() => undefined)
  try {
    return await Promise.race([running, tooLate])
  } catch (error) {
    // Its message may quote what was read.
    return wrong(
      `the check itself failed (${(error as Error).name})`,
      'Report it: this is a fault of the doctor.',
    )
  } finally {
    inTime.abort()
  }
}
