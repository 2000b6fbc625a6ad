import { constants, gzip } from 'node:zlib'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { addVary } from './response-headers.ts'

/**
 * From here on a line of 100 Mbit/s takes longer than packing does (40 ms against 6 ms for half a megabyte at the quickest level). Smaller
 * answers go as they are: programs beside the server ask for thousands of them a second, and packing would cost more than everything else.
 */
const bytesMin = 512 * 1024

const acceptsGzip = (request: FastifyRequest): boolean =>
  /(?:^|[\s,])(?:gzip\b|\*)(?!\s*;\s*q=0(?:\.0*)?(?:[\s,]|$))/i.test(request.headers['accept-encoding'] ?? '')

/**
 * Packs texts that are large for clients that take it, beside the event loop, so that nobody else waits. To be added after whatever changes texts
 * on their way out: what is packed cannot be changed any more.
 */
export function compressLargeResponses(server: FastifyInstance): void {
  server.addHook('onSend', (request, reply, payload, done) => {
    if (typeof payload !== 'string' || payload.length < bytesMin) return done(null, payload)
    addVary(reply, 'accept-encoding')
    if (!acceptsGzip(request)) return done(null, payload)
    gzip(payload, { level: constants.Z_BEST_SPEED }, (error, packed) => {
      if (error) return done(error)
      reply.header('content-encoding', 'gzip')
      done(null, packed)
    })
  })
}
