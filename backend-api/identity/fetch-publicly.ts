// Fetches JSON from an address that a stranger named, so that it cannot be used to reach what only this machine can.

import { lookup, type LookupAddress, type LookupOptions } from 'node:dns'
import { BlockList, isIP } from 'node:net'
import pLimit from 'p-limit'
import { Agent, request } from 'undici'

const TIMEOUT_MS = 3_000
const BYTES_MAX = 10 * 1024
const AT_ONCE_MAX = 4

/** IANA's special-purpose registries: everything that is not on the public internet. */
const SPECIAL: readonly [string, number][] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
]
// Of IPv6 only global unicast is public; inside it, tunnels that hide an IPv4 address and documentation are not.
const SPECIAL_INSIDE_GLOBAL_6: readonly [string, number][] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
]

/** Fails for anything but a JSON answer with status 200, of 10 KiB at most, within 3 seconds, without a redirect. */
export type FetchPublicly = (url: string) => Promise<unknown>

/** `loopback`: this machine itself is allowed too. */
export function createPublicFetch({ loopback }: { readonly loopback: boolean }): FetchPublicly {
  const allowed = (address: string) => isPublic(address) || (loopback && isLoopbackAddress(address))
  // The address that is checked is the one that is connected to: a second look-up could answer differently.
  const dispatcher = new Agent({ connect: { lookup: lookupOnly(allowed), timeout: TIMEOUT_MS } })
  const limit = pLimit(AT_ONCE_MAX)

  return (url) =>
    limit(async () => {
      const host = new URL(url).hostname.replace(/^\[|\]$/g, '')
      if (isIP(host) !== 0 && !allowed(host)) throw new Error('The address is not a public one.')
      const { statusCode, headers, body } = await request(url, {
        dispatcher,
        headers: { accept: 'application/json' },
        signal: AbortSignal.timeout(TIMEOUT_MS),
      })
      const type = String(headers['content-type'])
      if (statusCode !== 200 || !/^application\/([\w.-]+\+)?json\b/i.test(type)) {
        // Ending it early is an error to the stream, and one that nobody listens to would bring down the service.
        body.on('error', () => undefined).destroy()
        throw new Error(`The answer was ${statusCode} ${type}.`)
      }
      const chunks: Buffer[] = []
      let bytes = 0
      for await (const chunk of body as AsyncIterable<Buffer>) {
        bytes += chunk.length
        if (bytes > BYTES_MAX) throw new Error('The answer is too large.')
        chunks.push(chunk)
      }
      return JSON.parse(Buffer.concat(chunks).toString('utf8')) as unknown
    })
}

type LookupCallback = (error: Error | null, addresses: LookupAddress[] | string, family?: number) => void

function lookupOnly(allowed: (address: string) => boolean) {
  return (hostname: string, options: LookupOptions, callback: LookupCallback): void => {
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) {
        // Nothing may throw here, and with an error there are no addresses, whatever the type says.
        callback(error, [])
        return
      }
      const [first] = addresses
      if (!first || !addresses.every(({ address }) => allowed(address))) {
        callback(new Error('The name stands for an address that is not a public one.'), [])
      } else if (options.all) callback(null, addresses)
      else callback(null, first.address, first.family)
    })
  }
}

const special = new BlockList()
for (const [net, prefix] of SPECIAL) special.addSubnet(net, prefix, 'ipv4')
special.addSubnet('127.0.0.0', 8, 'ipv4')
for (const [net, prefix] of SPECIAL_INSIDE_GLOBAL_6) special.addSubnet(net, prefix, 'ipv6')
const global6 = new BlockList()
global6.addSubnet('2000::', 3, 'ipv6')

function isPublic(address: string): boolean {
  return isIP(address) === 4
    ? !special.check(address, 'ipv4')
    : global6.check(address, 'ipv6') && !special.check(address, 'ipv6')
}

function isLoopbackAddress(address: string): boolean {
  return address === '::1' || (isIP(address) === 4 && address.startsWith('127.'))
}
