// What a check comes to. Secrets are never part of it.

export type Finding =
  | { readonly state: 'ok'; readonly detail: string }
  /** `mend` says what to do about it. */
  | { readonly state: 'wrong'; readonly detail: string; readonly mend: string }
  /** `detail` says why there was nothing to check. */
  | { readonly state: 'skipped'; readonly detail: string }

export interface Reported {
  readonly check: string
  readonly finding: Finding
}

export const ok = (detail: string): Finding => ({ state: 'ok', detail })
export const wrong = (detail: string, mend: string): Finding => ({ state: 'wrong', detail, mend })
export const skipped = (detail: string): Finding => ({ state: 'skipped', detail })

const QUOTED_MAX_CHARACTERS = 200

/** What somebody else wrote, for a line of ours: in quotes, on one line, no longer than 200 characters. */
export function quoted(text: unknown): string {
  return JSON.stringify(String(text).slice(0, QUOTED_MAX_CHARACTERS))
}
