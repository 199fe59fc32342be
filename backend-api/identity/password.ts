// Passwords as scrypt digests (RFC 7914). The cost is written into each, so that it can be raised later.

import { scrypt, timingSafeEqual } from 'node:crypto'

export interface ScryptCost {
  readonly N: number
  readonly r: number
  readonly p: number
}

/** 32 MiB and about a quarter of a second, as OWASP recommends. */
const COST: ScryptCost = { N: 2 ** 15, r: 8, p: 3 }
const DIGEST_BYTES = 32
const MEMORY_BYTES_MAX = 256 * 1024 * 1024

/** A digest that no password has: checking one against it takes as long as against a real one. */
export const NOBODYS_PASSWORD = written(COST, Buffer.alloc(16), Buffer.alloc(DIGEST_BYTES))

/** `salt`: 16 random bytes. */
export async function hashPassword(password: string, salt: Buffer, cost = COST): Promise<string> {
  return written(cost, salt, await derive(password, salt, cost))
}

/** False for a wrong password; throws when `stored` was not written by `hashPassword`. */
export async function verifyPassword(password: string, stored: string): Promise<boolean> {
  const [, N, r, p, salt, digest] = /^scrypt\$(\d+)\$(\d+)\$(\d+)\$([\w-]+)\$([\w-]+)$/.exec(stored) ?? []
  if (salt === undefined || digest === undefined) throw new Error('A stored password cannot be read.')
  const cost = { N: Number(N), r: Number(r), p: Number(p) }
  const derived = await derive(password, Buffer.from(salt, 'base64url'), cost)
  return timingSafeEqual(derived, Buffer.from(digest, 'base64url'))
}

function written({ N, r, p }: ScryptCost, salt: Buffer, digest: Buffer): string {
  return ['scrypt', N, r, p, salt.toString('base64url'), digest.toString('base64url')].join('$')
}

function derive(password: string, salt: Buffer, cost: ScryptCost): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    // Different keyboards compose accents differently.
    scrypt(
      password.normalize('NFC'),
      salt,
      DIGEST_BYTES,
      { ...cost, maxmem: MEMORY_BYTES_MAX },
      (error, key) => {
        if (error) reject(error)
        else resolve(key)
      },
    )
  })
}
