// One call on its way to the service: the id that every line about it carries, and the parts that it spends time on.
// A port: durations, spans and metrics are made behind it.

export type PartName = 'queue' | 'exchange' | 'attempt'

export interface OpenCall {
  readonly requestId: string
  /** Starts a part of the call; to be ended once. */
  readonly begin: (name: PartName) => Part
}

export interface Part {
  /** Trace context to send along, with this part as the parent (W3C Trace Context); empty without a trace. */
  readonly headers: Readonly<Record<string, string>>
  /** `outcome` is one of a closed set. */
  readonly end: (outcome: string, details?: PartDetails) => void
}

/** What a request to the service came to: a reply, or why there is none. */
export interface PartDetails {
  readonly status?: number
  /** Of the body. */
  readonly bytes?: number
  /** Code of the error where there is no reply. */
  readonly cause?: string | undefined
}
