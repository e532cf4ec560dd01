/**
 * Which addresses a webhook may reach. A URL comes from a partner and the request from inside the operator's network, so
 * whatever is not an address of the public internet is refused: the host's own, its network's, a cloud's metadata service
 * (link-local), and the IPv6 forms that carry an IPv4 address to where it would go by itself.
 */
import { BlockList, isIP } from 'node:net'

/** IANA's special-purpose registries: what is not globally reachable, and multicast. */
const INSIDE_IPV4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
]

/** All that is unicast on the internet is in 2000::/3; these parts of it are not. */
const GLOBAL_IPV6 = '2000::/3'
const INSIDE_IPV6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20']

const inside_ipv4 = blockList(INSIDE_IPV4, 'ipv4')
const inside_ipv6 = blockList(INSIDE_IPV6, 'ipv6')
const global_ipv6 = blockList([GLOBAL_IPV6], 'ipv6')

function blockList(subnets: readonly string[], family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList()
  for (const subnet of subnets) {
    const [network = '', prefix] = subnet.split('/')
    list.addSubnet(network, Number(prefix), family)
  }
  return list
}

/** True for an address of the public internet; false for any other one, and for what is no address. */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address)
  if (family === 4) return !inside_ipv4.check(address, 'ipv4')
  // Not in 2000::/3, so refused with the rest: mapped and compatible IPv4 (::/96), NAT64 (64:ff9b::/96), unique local,
  // link-local, site-local, multicast. In it, refused by name: Teredo (in 2001::/23) and 6to4 (2002::/16).
  return family === 6 && global_ipv6.check(address, 'ipv6') && !inside_ipv6.check(address, 'ipv6')
}
