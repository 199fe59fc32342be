import type { Backend } from '../backend/backend.ts'

/** A public resource: read without a caller, so it must hold nothing that somebody may not see. */
export interface Resource {
  /** As it stands in `resources/list`. */
  readonly wire: {
    readonly uri: string
    readonly name: string
    readonly title: string
    readonly description: string
    readonly mimeType: string
  }
  /** The text, or undefined when the service does not give it at the moment. */
  read(backend: Backend, signal: AbortSignal): Promise<string | undefined>
}
