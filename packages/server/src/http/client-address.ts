import type { IncomingHttpHeaders } from 'node:http'
import { isIP, isIPv4 } from 'node:net'
import { createNetworkTest, plainAddress } from '../lib/ip-network.ts'

/** The parts of a request that tell where it comes from. Tests inject requests without an address. */
export interface Origin {
  readonly headers: IncomingHttpHeaders
  readonly socket?: { readonly remoteAddress?: string | undefined }
}

/** A header of a client can have any length. */
const forwardedMax = 50

/**
 * Returns the address of the client. `X-Forwarded-For` counts only if a trusted proxy sent it. Each proxy appends the address it was called from, so that the last
 * one that is no trusted proxy is the client; what stands before it was sent by the client.
 */
export function clientAddressReader(trustedProxies: readonly string[]): (request: Origin) => string {
  const isTrusted = createNetworkTest(trustedProxies)
  return ({ headers, socket }) => {
    const peer = plainAddress(socket?.remoteAddress ?? '')
    const forwarded = headers['x-forwarded-for']
    if (forwarded === undefined || !isTrusted(peer)) return peer
    let client = peer
    for (const item of String(forwarded).split(',').slice(-forwardedMax).reverse()) {
      const address = plainAddress(item.trim())
      if (isIP(address) === 0) return client
      client = address
      if (!isTrusted(address)) return client
    }
    return client
  }
}

/** A client has a whole /64 of IPv6 addresses, and counts as one. */
export function addressGroup(address: string): string {
  if (isIPv4(address) || isIP(address) === 0) return address
  const [plain = ''] = address.toLowerCase().split('%')
  const [before = '', after] = plain.split('::')
  const head = before === '' ? [] : before.split(':')
  const tail = after === undefined || after === '' ? [] : after.split(':')
  const groups = after === undefined ? head : [...head, ...Array.from({ length: Math.max(0, 8 - head.length - tail.length) }, () => '0'), ...tail]
  return `${groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')}::/64`
}
