import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { afterSeconds, repeatEvery } from '../lib/time.ts'

/** A client that has sent part of a request and then nothing for so long is not waited for. */
const stalledSeconds = 1

export interface Connections {
  /** From now on every answer ends its connection, also those to requests in flight. Requests are still served. */
  endAfterAnswers(): void
  /**
   * Closes what waits for nothing: connections on which no request was ever sent, now; those with half a request when no more of it comes; all that
   * are left after the grace. Call it when the server takes no new connections. Returns how to stop it.
   */
  closeUnused(graceSeconds: number, onCut: (connections: number) => void): () => void
}

/**
 * Knows which connections have a request in flight. Node's own `closeIdleConnections` leaves connections open that never sent a request: each would
 * hold up the end of the server until the client goes away.
 */
export function watchConnections(server: Server): Connections {
  const open = new Set<Socket>()
  // The answer to the latest request; those before it are sent by then. A map without listeners: this is done for every request.
  const answers = new WeakMap<Socket, ServerResponse>()
  // Websockets are closed with a farewell, and only cut when that has failed.
  const upgraded = new WeakSet<Socket>()
  let areEnding = false

  server.on('connection', (socket) => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
  })
  server.prependListener('request', (request: IncomingMessage, answer: ServerResponse) => {
    answers.set(request.socket, answer)
    if (areEnding) answer.setHeader('connection', 'close')
  })
  server.prependListener('upgrade', (_request: IncomingMessage, socket: Socket) => upgraded.add(socket))

  /** Whether the whole request is here, and its answer is not sent yet. */
  const isInFlight = (socket: Socket): boolean => {
    const answer = answers.get(socket)
    return answer !== undefined && !answer.writableFinished && answer.req.complete
  }

  return {
    endAfterAnswers() {
      areEnding = true
      for (const socket of open) {
        const answer = answers.get(socket)
        if (answer && !answer.headersSent) answer.setHeader('connection', 'close')
      }
    },
    closeUnused(graceSeconds, onCut) {
      server.closeIdleConnections()
      const received = new Map<Socket, number>()
      for (const socket of open) if (socket.bytesRead === 0) socket.destroy()
      const stopLooking = repeatEvery(stalledSeconds, () => {
        for (const socket of open) {
          if (isInFlight(socket) || upgraded.has(socket)) continue
          if (received.get(socket) === socket.bytesRead) socket.destroy()
          received.set(socket, socket.bytesRead)
        }
      })
      const stopWaiting = afterSeconds(graceSeconds, () => {
        if (open.size > 0) onCut(open.size)
        for (const socket of open) socket.destroy()
      })
      return () => {
        stopLooking()
        stopWaiting()
      }
    },
  }
}
