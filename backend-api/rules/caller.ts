import type { Role } from '../../openapi/desk.gen.ts'

/** Who asks, as a verified access token says it. `clientId` is the OAuth client through which they ask. */
export interface Caller {
  readonly id: string
  readonly name: string
  readonly role: Role
  readonly scopes: ReadonlySet<string>
  readonly clientId: string
}

/** Support staff and administrators run the desk; customers use it. */
export function runsDesk(caller: Caller): boolean {
  return caller.role !== 'customer'
}
