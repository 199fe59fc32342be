// Where a request comes from as one party: an IPv4 address, or the /64 of IPv6, all of which one host may use.
import { isIP } from 'node:net'

const GROUPS = 8
const NETWORK_GROUPS = 4

/** Whatever is no IPv6 address is returned as it is. */
export function networkOf(address: string): string {
  if (isIP(address) !== 6) return address
  const [front = [], back = []] = address
    .replace(/%.*$/, '')
    // An IPv4 tail fills two groups of the half that is cut off.
    .replace(/[^:]*\.[^:]*$/, '0:0')
    .split('::')
    .map((part) => (part === '' ? [] : part.split(':')))
  const zeros = Array<string>(GROUPS - front.length - back.length).fill('0')
  const network = [...front, ...zeros, ...back].slice(0, NETWORK_GROUPS)
  return `${network.map((group) => parseInt(group, 16).toString(16)).join(':')}::/64`
}
