// What all checks work on: the gateway's configuration, and the parts of the gateway that the doctor asks in its place.

import { throughBackchannel } from '../../src/backend/backchannel.ts'
import { createIssuer, type Issuer } from '../../src/backend/issuer.ts'
import type { OAuthClient } from '../../src/backend/token-endpoint.ts'
import type { Config } from '../../src/config.ts'
import type { CatalogueLock } from '../../src/tools/catalogue-lock.ts'

export interface DoctorContext {
  readonly config: Config
  readonly issuer: Issuer
  /** The gateway as a client of the issuer. */
  readonly client: OAuthClient
  /** Brings a person's access token to try everything with; undefined where there is none. */
  readonly personToken: (() => Promise<string>) | undefined
  /** Version of the contract that the gateway was built with. */
  readonly contractVersion: string
  /** What callers were promised, and what would be served. */
  readonly locked: CatalogueLock
  readonly served: CatalogueLock
  /** Milliseconds since the epoch. */
  readonly now: () => number
}

export function createContext(
  config: Config,
  given: Omit<DoctorContext, 'config' | 'issuer' | 'client'>,
): DoctorContext {
  const through = throughBackchannel(config.issuer, config.issuerBackchannel, fetch)
  const issuer = createIssuer(config.issuer, through)
  const { clientId, clientSecret } = config
  return { ...given, config, issuer, client: { issuer, clientId, clientSecret } }
}
