// The keys of the authorization server. To rotate: put a new one in front; drop an old one when its tokens have ended.

import type { JSONWebKeySet, JWK } from 'jose'

export interface SigningKeys {
  readonly signing: JWK & { readonly kid: string }
  /** Private parts included. */
  readonly all: JSONWebKeySet
}

/** The first key signs. Throws when there is none, or one without an id. */
export function readKeys({ keys }: JSONWebKeySet): SigningKeys {
  const [signing] = keys
  if (signing?.kid === undefined || keys.some(({ kid }) => kid === undefined)) {
    throw new Error(
      'The authorization server needs a private ES256 key, and an id (kid) for each of its keys.',
    )
  }
  const all = keys.map((key) => ({ ...key, alg: 'ES256', use: 'sig' }))
  return { signing: { ...signing, kid: signing.kid }, all: { keys: all } }
}

/** Without the private parts. */
export function publicKeys({ all }: SigningKeys): JSONWebKeySet {
  return {
    keys: all.keys.map((key) => {
      const copy = { ...key }
      delete copy.d
      return copy
    }),
  }
}
