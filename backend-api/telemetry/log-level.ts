// The level of a running service's log, switched without a restart.
import type { Logger } from 'pino'

/** To debug, or back to the configured level; says so in a line that the more talkative of the two levels shows. */
export function switchLogLevel(log: Logger, configured: string): void {
  const level = log.level === 'debug' ? configured : 'debug'
  const say = () => {
    log.info({ log_level: level }, 'log level switched')
  }
  if (level === 'debug') {
    log.level = level
    say()
  } else {
    say()
    log.level = level
  }
}
