import type { IncomingMessage } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { tooManyRequests } from '../errors.ts'

export interface RequestLimitOptions {
  /** Maximum number of requests that wait for their response. */
  readonly requestsMax: number
}

/** Load balancers must not take a busy server for a dead one. */
const exemptPaths: ReadonlySet<string> = new Set(['/health', '/ready', '/metrics'])

/** Reading the route of a request creates an object. Most paths are not exempt in any spelling. */
const maybeExempt = /^\/(?:health|ready|metrics)|%/

/**
 * Limits the requests in flight, so that their memory is bounded, and those that wait for a connection to the database too. A request above the limit is
 * rejected before its body is read. WebSockets are limited by the number of connections.
 */
export function createRequestLimit({ requestsMax }: RequestLimitOptions): (request: FastifyRequest, reply: FastifyReply) => void {
  let inFlight = 0
  const release = () => {
    inFlight -= 1
  }
  return (request, reply) => {
    const raw = request.raw as IncomingMessage & { upgrade?: boolean }
    if (raw.upgrade || (maybeExempt.test(raw.url as string) && exemptPaths.has(request.routeOptions.url ?? ''))) return
    if (inFlight >= requestsMax) throw tooManyRequests(String(requestsMax))
    inFlight += 1
    if (reply.raw.destroyed) release()
    // Emitted once for each response: after it is sent, or when the client disconnects.
    else reply.raw.on('close', release)
  }
}
