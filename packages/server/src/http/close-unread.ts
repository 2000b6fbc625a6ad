import type { FastifyReply, FastifyRequest } from 'fastify'
import { afterSeconds } from '../lib/time.ts'
import { smallBytes } from './byte-budget.ts'
import { readInTurns } from './receive-body.ts'

/** How long a client that is answered before its body was read may take to notice. */
const lingerSeconds = 1

/**
 * Ends the connection after an answer that was given before the body was read, rather than read what nobody wants. It is closed a moment later: a client
 * that is still sending would lose the answer otherwise. What is left of a small body is read, and the connection kept.
 */
export function closeUnread(request: FastifyRequest, reply: FastifyReply): void {
  const { raw, headers } = request
  if (raw.complete || raw.readableEnded) return
  const length = headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : Number.POSITIVE_INFINITY
  if (length <= smallBytes && !raw.destroyed && reply.statusCode !== 408) return
  reply.header('connection', 'close')
  const { socket } = raw
  // Called by Node once the answer is written.
  socket.destroySoon = () => {
    if (socket.destroyed) return
    socket.end()
    raw.on('data', () => readInTurns(raw)).resume()
    afterSeconds(lingerSeconds, () => socket.destroy())
  }
}
