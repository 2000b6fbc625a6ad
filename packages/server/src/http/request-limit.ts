import type { IncomingMessage } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { tooManyRequests } from '../errors.ts'
import { onResponseEnd } from './response-end.ts'

export interface RequestLimitOptions {
  /** Maximum number of requests that wait for their response. */
  readonly requestsMax: number
}

/** Load balancers must not take a busy server for a dead one. */
const exemptPaths: ReadonlySet<string> = new Set(['/health', '/ready', '/metrics'])

/**
 * Limits the requests in flight, so that their memory is bounded, and those that wait for a connection to the database too. A request above the limit is
 * rejected before its body is read. WebSockets are limited by the number of connections.
 */
export function limitRequests(app: FastifyInstance, { requestsMax }: RequestLimitOptions): void {
  let inFlight = 0
  app.addHook('onRequest', (request, reply, done) => {
    if ((request.raw as IncomingMessage & { upgrade?: boolean }).upgrade || exemptPaths.has(request.routeOptions.url ?? '')) return done()
    if (inFlight >= requestsMax) throw tooManyRequests(String(requestsMax))
    inFlight += 1
    onResponseEnd(reply, () => {
      inFlight -= 1
    })
    done()
  })
}
