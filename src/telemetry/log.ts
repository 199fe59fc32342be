// JSON logs to stderr, written at once: stdout belongs to the protocol in stdio mode.
import { destination, pino, type Logger } from 'pino'

/** Redaction is the backstop; call sites log an allow-list of fields, never a token and never ticket text. */
export function createLog(level: string): Logger {
  return pino(
    { level, base: { service: 'gateway' }, redact: ['token', '*.token', 'authorization', '*.authorization'] },
    destination({ fd: 2, sync: true }),
  )
}
