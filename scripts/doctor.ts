// `npm run doctor [-- --json]`: is everything as the gateway needs it? Exit 0 when it is. Changes nothing.

import { diagnose } from './doctor/diagnose.ts'
import { examinedEnvironment } from './doctor/environment.ts'
import type { Reported } from './doctor/finding.ts'
import { LOCAL_FOLDER } from './local-environment.ts'

const STATE_WIDTH = 'skipped'.length

try {
  const reports = await diagnose(await examinedEnvironment(process.env, LOCAL_FOLDER), Date.now)
  const isWell = reports.every(({ finding }) => finding.state !== 'wrong')
  process.stdout.write(process.argv.includes('--json') ? asJson(isWell, reports) : asLines(reports))
  process.exitCode = isWell ? 0 : 1
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
}

function asLines(reports: readonly Reported[]): string {
  return reports
    .map(({ check, finding }) => {
      const mend = finding.state === 'wrong' ? `. ${finding.mend}` : ''
      return `${finding.state.padEnd(STATE_WIDTH)}  ${check}: ${finding.detail}${mend}\n`
    })
    .join('')
}

function asJson(isWell: boolean, reports: readonly Reported[]): string {
  const findings = reports.map(({ check, finding }) => ({ check, ...finding }))
  return `${JSON.stringify({ ok: isWell, findings }, null, 2)}\n`
}
