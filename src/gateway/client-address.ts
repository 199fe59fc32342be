// The address that a request comes from: the socket's, or what trusted proxies say. Nothing else is believed.
import { BlockList, isIP } from 'node:net'
import type { Request } from 'express'

export type AddressOf = (req: Request) => string

/**
 * Walks `X-Forwarded-For` from the right as long as the one who vouches for the next is a trusted proxy, and returns
 * the first that is not. `trusted` holds addresses and CIDR ranges that were checked when they were read.
 */
export function createAddressOf(trusted: readonly string[]): AddressOf {
  const proxies = blockListOf(trusted)
  const isTrusted = (address: string) => proxies.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')
  return (req) => {
    let address = plain(req.socket.remoteAddress ?? '')
    if (trusted.length === 0) return address
    const hops = (req.headers['x-forwarded-for'] ?? '').toString().split(',').map(plain)
    while (isTrusted(address)) {
      const next = hops.pop()
      if (next === undefined || isIP(next) === 0) break
      address = next
    }
    return address
  }
}

/** Whether the text is an address or a CIDR range. */
export function isAddressRange(text: string): boolean {
  try {
    blockListOf([text])
    return true
  } catch {
    return false
  }
}

function blockListOf(ranges: readonly string[]): BlockList {
  const list = new BlockList()
  for (const range of ranges) {
    const [address = '', prefix, ...rest] = range.split('/')
    if (rest.length > 0 || (prefix !== undefined && !/^\d{1,3}$/.test(prefix))) throw new RangeError(range)
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4'
    if (prefix === undefined) list.addAddress(address, family)
    else list.addSubnet(address, Number(prefix), family)
  }
  return list
}

/** IPv4 addresses arrive as `::ffff:1.2.3.4` on a dual-stack socket. */
function plain(address: string): string {
  return address.trim().replace(/^::ffff:(?=\d+\.)/, '')
}
