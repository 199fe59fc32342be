// The doctor's checks on any gateway's variables, without building the catalogue again for each.
import { readFileSync } from 'node:fs'
import { expect } from 'vitest'
import { createContext, type DoctorContext } from '../../scripts/doctor/context.ts'
import { examine } from '../../scripts/doctor/examine.ts'
import type { Finding } from '../../scripts/doctor/finding.ts'
import { readConfig } from '../../src/config.ts'
import type { CatalogueLock } from '../../src/tools/catalogue-lock.ts'

export const LOCKED = JSON.parse(
  readFileSync(new URL('../../catalog.lock.json', import.meta.url), 'utf8'),
) as CatalogueLock

export const CONTRACT_VERSION = '0.1.0'

/** Findings by the check's name. */
export async function examined(
  variables: Readonly<Record<string, string>>,
  given: Partial<DoctorContext> = {},
): Promise<Readonly<Record<string, Finding>>> {
  const context = createContext(readConfig(variables), {
    personToken: undefined,
    contractVersion: CONTRACT_VERSION,
    locked: LOCKED,
    served: LOCKED,
    now: Date.now,
    ...given,
  })
  const reports = await examine(context)
  return Object.fromEntries(reports.map(({ check, finding }) => [check, finding]))
}

/** Matches text that has this in it. */
export const containing = (part: string): unknown => expect.stringContaining(part)
