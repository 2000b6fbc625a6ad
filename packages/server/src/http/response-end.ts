import type { FastifyReply } from 'fastify'

/** Calls once when the answer was sent, or the client is gone. */
export function onResponseEnd({ raw }: FastifyReply, call: () => void): void {
  if (raw.destroyed || raw.writableFinished) {
    call()
    return
  }
  const once = () => {
    raw.off('finish', once).off('close', once)
    call()
  }
  raw.on('finish', once).on('close', once)
}

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
