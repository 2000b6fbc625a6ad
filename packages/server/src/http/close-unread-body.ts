import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { afterSeconds } from '../lib/time.ts'
import { smallBytes } from './byte-budget.ts'
import { readChunkPerTurn } from './receive-body.ts'

/** How long a client that is answered before its body was read may take to notice. */
const lingerSeconds = 1

/** Connections of which the rest is read and dropped at the same time. To drop sixty bodies of 15 MB at once takes 40 ms of each turn. */
const drainsMax = 8

const drainCounts = new WeakMap<FastifyInstance, number>()

/**
 * Ends the connection after an answer that was given before the body was read. What comes until then is dropped: a client that is still sending would lose
 * the answer otherwise. Of too many at once nothing more is read. What is left of a small body is read, and the connection kept.
 */
export function closeUnreadBody(request: FastifyRequest, reply: FastifyReply): void {
  const { raw, headers, server } = request
  if (raw.complete || raw.readableEnded) return
  const length = headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : Number.POSITIVE_INFINITY
  if (length <= smallBytes && !raw.destroyed && reply.statusCode !== 408) return
  reply.header('connection', 'close')
  const { socket } = raw
  const count = drainCounts.get(server) ?? 0
  if (count < drainsMax) {
    drainCounts.set(server, count + 1)
    socket.once('close', () => drainCounts.set(server, (drainCounts.get(server) ?? 1) - 1))
    raw.on('data', () => readChunkPerTurn(raw)).resume()
  } else {
    // Node reads to the end what nobody has begun to read.
    raw.pause().read(0)
  }
  // Called by Node once the answer is written.
  socket.destroySoon = () => {
    if (socket.destroyed) return
    socket.end()
    afterSeconds(lingerSeconds, () => socket.destroy())
  }
}
