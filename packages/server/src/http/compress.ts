import { constants, gzip } from 'node:zlib'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { addVary } from './response-headers.ts'
import type { UnsentResponses } from './unsent-responses.ts'

/**
 * From this size on compression saves time at 100 Mbit/s: 512 KB take 40 ms to send and 6 ms to compress at the fastest level. Smaller responses stay
 * uncompressed: clients near the server request thousands of them a second, and compression would cost more than everything else.
 */
const bytesMin = 512 * 1024

/** A shorter response is sent in one write with its headers. */
const encodedCharactersMin = 16 * 1024

const acceptsGzip = (request: FastifyRequest): boolean =>
  /(?:^|[\s,])(?:gzip\b|\*)(?!\s*;\s*q=0(?:\.0*)?(?:[\s,]|$))/i.test(request.headers['accept-encoding'] ?? '')

/**
 * Compresses large text responses off the event loop, and counts them until they are sent. Register it after all hooks that change the text of a response. ADR 0017 says why this is not
 * `@fastify/compress`.
 */
export function compressLargeResponses(server: FastifyInstance, unsent: UnsentResponses): void {
  server.addHook('onSend', (request, reply, payload, done) => {
    if (typeof payload !== 'string' || payload.length < encodedCharactersMin) return done(null, payload)
    // Encoded once. A text would be encoded for its length and again for the socket.
    const bytes = Buffer.from(payload)
    if (bytes.length >= bytesMin) addVary(reply, 'accept-encoding')
    if (bytes.length < bytesMin || !acceptsGzip(request)) {
      unsent.add(reply, bytes.length)
      return done(null, bytes)
    }
    gzip(bytes, { level: constants.Z_BEST_SPEED }, (error, compressed) => {
      if (error) return done(error)
      unsent.add(reply, compressed.length)
      reply.header('content-encoding', 'gzip')
      done(null, compressed)
    })
  })
}
