// Would callers find the tools that they were promised?

import { describeChanges, judgeLock } from '../../src/tools/catalogue-lock-rule.ts'
import type { CatalogueLock } from '../../src/tools/catalogue-lock.ts'
import type { DoctorContext } from './context.ts'
import { ok, wrong, type Finding } from './finding.ts'

export function checkCatalogue({ locked, served }: DoctorContext): Promise<Finding> {
  return Promise.resolve(judge(locked, served))
}

function judge(locked: CatalogueLock, served: CatalogueLock): Finding {
  const verdict = judgeLock(locked, served)
  if (verdict.kind === 'current')
    return ok(`${Object.keys(served.tools).length} tools as locked in ${served.version}, ${served.digest}`)
  const changes = describeChanges(verdict.changes).replaceAll('\n', '; ') || 'another version'
  return wrong(
    `the tools are not those of catalog.lock.json: ${changes}`,
    'Run the release as it was built, or npm run generate after a change that is meant.',
  )
}
