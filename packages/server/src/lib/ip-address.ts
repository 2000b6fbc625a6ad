import { BlockList, isIP, isIPv4 } from 'node:net'

/** Addresses outside of the public internet: loopback, private and reserved networks (IANA special-purpose registries). */
const reservedIpv4: readonly (readonly [string, number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.31.196.0', 24],
  ['192.52.193.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['192.175.48.0', 24],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
]

/** Reserved networks within the allocated part of IPv6. */
const reservedIpv6: readonly (readonly [string, number])[] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['2620:4f:8000::', 48],
  ['3fff::', 20],
]

const reservedIpv4List = new BlockList()
for (const [network, bits] of reservedIpv4) reservedIpv4List.addSubnet(network, bits, 'ipv4')
const reservedIpv6List = new BlockList()
for (const [network, bits] of reservedIpv6) reservedIpv6List.addSubnet(network, bits, 'ipv6')
const globalIpv6List = new BlockList()
globalIpv6List.addSubnet('2000::', 3, 'ipv6')

/**
 * Whether an address belongs to the public internet. Only the allocated part of IPv6 counts, which excludes all forms that embed an IPv4 address
 * (`::ffff:127.0.0.1`, NAT64, 6to4, Teredo). A text that is not an address is not public.
 */
export function isPublicAddress(address: string): boolean {
  // In `fe80::1%eth0` the suffix names a network interface of this machine.
  if (address.includes('%') || isIP(address) === 0) return false
  if (isIPv4(address)) return !reservedIpv4List.check(address, 'ipv4')
  return globalIpv6List.check(address, 'ipv6') && !reservedIpv6List.check(address, 'ipv6')
}
