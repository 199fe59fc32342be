// What is told of each tool call, as configured: metrics, the log line, the audit line, spans.
import { ConfigError, type Config } from './config.ts'
import type { Logger } from 'pino'
import { createAudit, NO_AUDIT, type Audit } from './telemetry/audit.ts'
import { openLineFile } from './telemetry/audit-file.ts'
import { logCall } from './telemetry/log-call.ts'
import type { Metrics } from './telemetry/metrics.ts'
import { createOpenCall } from './telemetry/running-call.ts'
import type { Tracing } from './telemetry/tracing.ts'
import type { OpenToolCall } from './tools/call-record.ts'

/** What is told of everything that happens. */
export interface Observers {
  readonly log: Logger
  readonly tracing: Tracing
}

/** Throws a ConfigError when the audit cannot be opened. */
export function createCallTelemetry(
  config: Config,
  metrics: Metrics,
  { log, tracing }: Observers,
): { readonly openCall: OpenToolCall; readonly audit: Audit } {
  const audit = openAudit(config, metrics, log)
  const openCall = createOpenCall({
    tracing,
    metrics,
    serverAddress: config.backendUrl.hostname,
    now: () => performance.now(),
    onWrite: audit.announce,
    onEnd: (record) => {
      metrics.observe(record)
      logCall(log, record)
      // What names no tool never got as far as being authorised.
      if (record.operation !== undefined) audit.record(record)
    },
  })
  return { openCall, audit }
}

function openAudit({ auditFile: path, auditRequired }: Config, metrics: Metrics, log: Logger): Audit {
  if (path === undefined) return NO_AUDIT
  const onFault = (code: string, lost: number) => {
    log.error({ code, lost_lines: lost }, 'the audit cannot be written')
  }
  try {
    const file = openLineFile({ path, now: () => performance.now(), onFault })
    return createAudit({ file, required: auditRequired, now: Date.now, onLine: metrics.auditLine })
  } catch (error) {
    throw new ConfigError(`  AUDIT_FILE: cannot be opened for appending: ${String(error)}`)
  }
}
