import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { afterSeconds } from '../lib/time.ts'
import { smallBytes } from './byte-budget.ts'
import { expectsContinue, readChunkPerTurn } from './receive-body.ts'

/** Time for the client to read a response that was sent before its body was read. */
const lingerSeconds = 1

/** Maximum number of connections that are drained at once. Draining sixty bodies of 15 MB takes 40 ms of each event loop turn. */
const drainsMax = 8

const drainCounts = new WeakMap<FastifyInstance, number>()

/**
 * Closes the connection after a response that was sent before the body was read. Discards the rest of the body until then: a client that is still
 * sending would lose the response. Above `drainsMax` connections nothing more is read. The rest of a small body is read and the connection is kept.
 */
export function closeUnreadBody(request: FastifyRequest, reply: FastifyReply): void {
  const { raw, headers, server } = request
  if (raw.complete || raw.readableEnded) return
  const length = headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : Number.POSITIVE_INFINITY
  // A client that waits for the response 100 does not send its body after another one, so that the next request would be taken for it.
  if (length <= smallBytes && !raw.destroyed && reply.statusCode !== 408 && !expectsContinue(raw)) return
  reply.header('connection', 'close')
  const { socket } = raw
  const count = drainCounts.get(server) ?? 0
  if (count < drainsMax) {
    drainCounts.set(server, count + 1)
    socket.once('close', () => drainCounts.set(server, (drainCounts.get(server) ?? 1) - 1))
    raw.on('data', () => readChunkPerTurn(raw)).resume()
  } else {
    // Node reads a body to its end if nothing has started to read it.
    raw.pause().read(0)
  }
  // Node calls this after the response is written.
  socket.destroySoon = () => {
    if (socket.destroyed) return
    socket.end()
    afterSeconds(lingerSeconds, () => socket.destroy())
  }
}
