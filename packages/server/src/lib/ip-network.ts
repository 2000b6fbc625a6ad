import { BlockList, isIP, isIPv4 } from 'node:net'

/** Whether an address is in a set of networks. */
export type NetworkTest = (address: string) => boolean

/** Reads addresses and networks such as `10.0.0.0/8`. Throws an error that names what is neither. */
export function createNetworkTest(networks: readonly string[]): NetworkTest {
  const list = new BlockList()
  for (const network of networks) {
    const [address = '', bits, ...rest] = network.split('/')
    const family = isIP(address)
    const bitsMax = family === 4 ? 32 : 128
    const prefix = bits === undefined ? bitsMax : /^\d{1,3}$/.test(bits) ? Number(bits) : Number.NaN
    if (family === 0 || rest.length > 0 || !(prefix <= bitsMax))
      throw new Error(`${JSON.stringify(network)} is not an IP address or network such as 10.0.0.0/8`)
    list.addSubnet(address, prefix, family === 4 ? 'ipv4' : 'ipv6')
  }
  return (address) => isIP(address) !== 0 && list.check(address, isIPv4(address) ? 'ipv4' : 'ipv6')
}

/** An IPv4 address that arrived over IPv6 (`::ffff:192.0.2.1`) in its own form. */
export const plainAddress = (address: string): string => /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1] ?? address
