// JSON logs to stderr, written at once: stdout belongs to the protocol in stdio mode.
import { pino, type Logger } from 'pino'
import { stderrLines } from './stderr-lines.ts'

/** Redaction is the backstop; call sites log an allow-list of fields, never a token and never ticket text. */
export function createLog(level: string): Logger {
  return pino(
    {
      level,
      base: { service: 'gateway' },
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: ['token', '*.token', 'authorization', '*.authorization'],
    },
    stderrLines(),
  )
}

/** Switches between the configured level and `debug`, and says so while it is at `debug`. */
export function switchLevel(log: Logger, configured: string): void {
  const level = log.level === 'debug' ? configured : 'debug'
  log.level = 'debug'
  log.info({ log_level: level }, 'log level switched')
  log.level = level
}
