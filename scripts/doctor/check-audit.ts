// Can the audit be written? Nothing is written here.

import { access, constants, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { DoctorContext } from './context.ts'
import { ok, skipped, wrong, type Finding } from './finding.ts'

export async function checkAudit({ config }: DoctorContext): Promise<Finding> {
  const { auditFile: file } = config
  if (file === undefined) return skipped('AUDIT_FILE is not set; there is no audit')
  if (file === 'stderr') return ok('the audit goes to stderr')
  const there = await stat(file).catch(() => undefined)
  if (there?.isDirectory() === true) return wrong(`${file} is a folder`, 'Let AUDIT_FILE name a file in it.')
  const target = there ? file : dirname(file)
  try {
    if (!there && !(await stat(target)).isDirectory()) throw new Error('no folder')
    await access(target, constants.W_OK)
    return ok(`${file} can be written`)
  } catch {
    return wrong(`${file} cannot be written`, `Make ${target} and let the gateway's user write there.`)
  }
}
