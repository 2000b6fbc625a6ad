import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { afterSeconds, repeatEvery } from '../lib/time.ts'

/** A client that has sent part of a request and then nothing for so long is not waited for. */
const stalledSeconds = 1

export interface Connections {
  /** From now on every answer ends its connection, also those to requests in flight. Requests are still served. */
  closeAfterResponses(): void
  /**
   * Closes what waits for nothing: idle connections now, those with half a request when no more of it comes, and all that are left after the grace.
   * Returns how to stop it.
   */
  closeUnused(graceSeconds: number, onCut: (connections: number) => void): () => void
}

/**
 * Knows which connections have a request in flight. Node's own `closeIdleConnections`, which this replaces, keeps connections that never sent a
 * request, each of which holds up the end of the server, and cuts those whose answer is made but not sent: large answers arrive broken.
 */
export function trackConnections(server: Server): Connections {
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
  // Node calls it too, when the server is closed.
  server.closeIdleConnections = () => closeWhere(isIdle)

  /** The whole request is here, and its answer is not sent yet. */
  function isInFlight(socket: Socket): boolean {
    const answer = answers.get(socket)
    return answer !== undefined && !answer.writableFinished && answer.req.complete
  }

  /** Nothing was ever asked, or everything that was is answered. */
  function isIdle(socket: Socket): boolean {
    const answer = answers.get(socket)
    return answer === undefined ? socket.bytesRead === 0 : answer.writableFinished
  }

  function closeWhere(isUnused: (socket: Socket) => boolean): void {
    for (const socket of open) if (!upgraded.has(socket) && isUnused(socket)) socket.destroy()
  }

  return {
    closeAfterResponses() {
      areEnding = true
      for (const socket of open) {
        const answer = answers.get(socket)
        if (answer && !answer.headersSent) answer.setHeader('connection', 'close')
      }
    },
    closeUnused(graceSeconds, onCut) {
      closeWhere(isIdle)
      const received = new Map<Socket, number>()
      const stopLooking = repeatEvery(stalledSeconds, () => {
        closeWhere((socket) => {
          const before = received.get(socket)
          received.set(socket, socket.bytesRead)
          return !isInFlight(socket) && before === socket.bytesRead
        })
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
