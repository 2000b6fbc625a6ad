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
