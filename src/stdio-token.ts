// Whose token a stdio server works with: from the environment or a file, renewed where that is possible.
import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import type { Logger } from 'pino'
import type { Caller } from './backend/caller.ts'
import { requestToken, type OAuthClient } from './backend/token-endpoint.ts'
import { ConfigError } from './config.ts'
import type { VerifyToken } from './gateway/verify-token.ts'
import { withSecretFiles, type Variables } from './secret-files.ts'

/** A token that ends within this time is renewed before it is used. */
const RENEW_BEFORE_S = 30

/** The caller of the next message; with a token that has ended when it could not be renewed, which the log then says. */
export type CurrentCaller = () => Promise<Caller>

export interface StdioTokenPorts {
  readonly verify: VerifyToken
  readonly client: Omit<OAuthClient, 'clientId' | 'clientSecret'>
  /** What a token must be for. */
  readonly resource: string
  readonly log: Logger
  /** Milliseconds since the epoch. */
  readonly now: () => number
}

/**
 * `ACCESS_TOKEN` is used as it is; `ACCESS_TOKEN_FILE` is read again when its token ends; `REFRESH_TOKEN` with
 * `REFRESH_CLIENT_ID` gets new tokens from the issuer (RFC 6749 section 6), and `REFRESH_TOKEN_FILE` keeps up with
 * rotation. Throws a ConfigError that says what is wrong when there is no valid token to start with.
 */
export async function openStdioToken(env: Variables, ports: StdioTokenPorts): Promise<CurrentCaller> {
  const { variables, faults } = withSecretFiles(env, ['ACCESS_TOKEN', 'REFRESH_TOKEN'])
  if (faults.length > 0) throw new ConfigError(faults.join('\n'))
  const renew = renewal(variables, ports)
  const first = variables['ACCESS_TOKEN'] ?? (await renew?.())
  if (first === undefined)
    throw new ConfigError('  ACCESS_TOKEN: is required; set it to a token whose audience is PUBLIC_URL')
  let caller = await identify(first, ports.verify)
  let renewing: Promise<void> | undefined

  async function renewCaller(way: () => Promise<string>): Promise<void> {
    try {
      caller = await identify(await way(), ports.verify)
    } catch (error) {
      ports.log.error({ reason: (error as Error).message.trim() }, 'the access token cannot be renewed')
    }
  }

  return async () => {
    if (renew && caller.expiresAt * 1000 - ports.now() <= RENEW_BEFORE_S * 1000) {
      // One for all messages: a refresh token that is used twice ends the sign-in (OAuth 2.1 section 4.3.1).
      renewing ??= renewCaller(renew).finally(() => {
        renewing = undefined
      })
      await renewing
    }
    return caller
  }
}

/** How a new token is got; undefined where there is no way. */
function renewal(variables: Variables, ports: StdioTokenPorts): (() => Promise<string>) | undefined {
  const { REFRESH_TOKEN: refreshToken, REFRESH_CLIENT_ID: clientId, ACCESS_TOKEN_FILE: file } = variables
  if (refreshToken !== undefined) {
    if (clientId === undefined)
      throw new ConfigError(
        '  REFRESH_CLIENT_ID: is required with REFRESH_TOKEN; set it to the client that got it',
      )
    const client = { ...ports.client, clientId, clientSecret: undefined }
    const keep = keeperOf(variables['REFRESH_TOKEN_FILE'], ports.log)
    return refreshing(client, ports.resource, refreshToken, keep)
  }
  if (file !== undefined) return () => readFile(file, 'utf8').then((text) => text.trim())
  return undefined
}

function refreshing(client: OAuthClient, resource: string, first: string, keep: (token: string) => void) {
  let refreshToken = first
  return async (): Promise<string> => {
    const grant = await requestToken(client, {
      grant_type: 'refresh_token',
      refresh_token: refreshToken,
      resource,
    })
    switch (grant.kind) {
      case 'granted':
        if (grant.refreshToken !== undefined) {
          refreshToken = grant.refreshToken
          keep(refreshToken)
        }
        return grant.token
      case 'refused':
        throw new ConfigError(`  REFRESH_TOKEN: is refused (${grant.error}); sign in again`)
      case 'unreachable':
        throw new ConfigError('  ISSUER: does not answer; start it or correct the URL')
    }
  }
}

/** Writes rotated tokens to the file, if there is one. That it cannot be written does not spoil the token in hand. */
function keeperOf(file: string | undefined, log: Logger): (token: string) => void {
  return (token) => {
    if (file === undefined) return
    try {
      replaceFile(file, token)
    } catch {
      log.error({ file }, 'REFRESH_TOKEN_FILE cannot be written: sign in again before the next start')
    }
  }
}

/** Whole or not at all: a rotated token that is lost cannot be had again (RFC 9700 section 4.14.2). */
function replaceFile(file: string, text: string): void {
  const draft = `${file}.new`
  // What somebody else left there may be a link, or a file that others can read.
  rmSync(draft, { force: true })
  writeFileSync(draft, text, { mode: 0o600, flag: 'wx' })
  renameSync(draft, file)
}

async function identify(token: string, verify: VerifyToken): Promise<Caller> {
  const verification = await verify(token)
  switch (verification.kind) {
    case 'valid':
      return verification.caller
    case 'invalid':
      throw new ConfigError(`  ACCESS_TOKEN: is refused: ${verification.reason}; get a new one`)
    case 'issuer_unavailable':
      throw new ConfigError('  ISSUER: does not answer; start it or correct the URL')
  }
}
