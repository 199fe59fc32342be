// How spans of this gateway are named and what is said when they are lost; both servers share it.
import type { Logger } from 'pino'
import type { TracingOptions } from './telemetry/tracing.ts'
import { readVersion } from './version.ts'

export function tracingOptions(log: Logger): TracingOptions {
  return {
    serviceName: 'desk-gateway',
    version: readVersion(),
    now: () => performance.now(),
    onFault: (reason) => {
      log.warn({ reason }, 'spans are lost')
    },
  }
}
