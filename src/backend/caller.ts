/** Who calls, as the verified access token says. The token itself goes to the issuer's exchange and nowhere else. */
export interface Caller {
  readonly subject: string
  readonly clientId: string
  /** Who acts, where the token says that it is somebody other than the client (RFC 8693 section 4.1). */
  readonly actor: string | undefined
  readonly scopes: ReadonlySet<string>
  /** What the issuer says that the person is to the desk; the service judges it. */
  readonly roles: readonly string[]
  readonly name: string | undefined
  readonly token: string
  /** Seconds since the epoch. */
  readonly expiresAt: number
}
