// Refusals of the sign-in as problem documents (RFC 9457). OAuth's own errors have their own form (RFC 6749).

import { STATUS_CODES, type ServerResponse } from 'node:http'

export interface IdentityProblem {
  readonly status: number
  /** What was wrong and what to do. */
  readonly detail: string
  readonly headers?: Readonly<Record<string, string>>
}

/** Answers with `{type, title, status, detail}`; about:blank says that the status is all there is to the type. */
export function sendProblem(res: ServerResponse, { status, detail, headers }: IdentityProblem): void {
  const problem = { type: 'about:blank', title: STATUS_CODES[status] ?? 'Error', status, detail }
  res.writeHead(status, {
    ...headers,
    'Content-Type': 'application/problem+json',
    'Cache-Control': 'no-store',
  })
  res.end(JSON.stringify(problem))
}
