import type { FastifyReply } from 'fastify'

/** Calls back once, when the response is sent or the client has disconnected. */
export function onResponseEnd({ raw }: FastifyReply, call: () => void): void {
  if (raw.destroyed || raw.writableFinished) {
    call()
    return
  }
  // Node emits `close` after `finish` too.
  raw.once('close', call)
}

/**
 * Aborts when the client disconnects before the response is sent. Fastify's `request.signal` aborts when the request stream closes, which for a
 * request with a body is as soon as the body is read.
 */
export function disconnectSignal(reply: FastifyReply): AbortSignal {
  const disconnect = new AbortController()
  const { raw } = reply
  if (raw.destroyed) disconnect.abort()
  else
    raw.once('close', () => {
      if (!raw.writableEnded) disconnect.abort()
    })
  return disconnect.signal
}
