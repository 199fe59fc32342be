// What to do about the faults that people meet when they start a service.
import { TracingConfigError } from './telemetry/tracing.ts'

/** An address that was to be listened at; `prefix` is that of its variables: `ADMIN_` or none. */
export interface Address {
  readonly prefix: string
  readonly host: string
  readonly port: number
}

/** In words, by the name of the variable to change. */
export function reasonOf(error: unknown, { prefix, host, port }: Address, databasePath: string): string {
  if (error instanceof TracingConfigError) return error.message
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  switch (code) {
    case 'EADDRINUSE':
      return `Port ${port} is in use. Stop what uses it, or set ${prefix}PORT to another one.`
    case 'EACCES':
      return `The service may not use port ${port} or the folder of ${databasePath}. Change ${prefix}PORT or DATABASE_PATH.`
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return `${host} is not an address of this machine. Change ${prefix}HOST.`
    case 'SQLITE_CANTOPEN':
    case 'SQLITE_NOTADB':
      return `${databasePath} cannot be opened as a database. Change DATABASE_PATH.`
    default:
      return 'The ticket service could not start.'
  }
}
