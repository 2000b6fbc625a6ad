import type { FastifyReply } from 'fastify'

/**
 * Ends when the client hangs up before it has its answer. Fastify's own `request.signal` ends with the request's stream, which for a request
 * with a body is as soon as the body was read.
 */
export function disconnectSignal(reply: FastifyReply): AbortSignal {
  const ending = new AbortController()
  const { raw } = reply
  if (raw.destroyed) ending.abort()
  else
    raw.once('close', () => {
      if (!raw.writableEnded) ending.abort()
    })
  return ending.signal
}
