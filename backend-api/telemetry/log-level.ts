// The level of a running service's log, switched without a restart.
import type { Logger } from 'pino'

/** To debug, or back to the configured level; says so while it is at debug. */
export function switchLogLevel(log: Logger, configured: string): void {
  const level = log.level === 'debug' ? configured : 'debug'
  log.level = 'debug'
  log.info({ log_level: level }, 'log level switched')
  log.level = level
}
