import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { afterSeconds, repeatEvery } from '../lib/time.ts'

/** Time without data after which a connection with half a request is closed at shutdown. */
const stalledSeconds = 1

export interface Connections {
  /** Closes every connection after its response from now on. Requests are still served. */
  closeAfterResponses(): void
  /**
   * Closes idle connections now, those with half a request when no more data arrives, and all others after the grace period. Returns a function that
   * stops it.
   */
  closeUnused(graceSeconds: number, onForcedClose: (connections: number) => void): () => void
}

/**
 * Tracks which connections have a request in flight. Replaces `closeIdleConnections` of Node, which keeps connections that never sent a request, so
 * that they delay the shutdown, and closes those whose response is complete but not sent, so that large responses are truncated.
 */
export function trackConnections(server: Server): Connections {
  const open = new Set<Socket>()
  // Response to the latest request; earlier ones are sent by then. A map without listeners, since it is set for every request.
  const responses = new WeakMap<Socket, ServerResponse>()
  // WebSockets are closed with a close frame, and destroyed only if that fails.
  const upgraded = new WeakSet<Socket>()
  let isShuttingDown = false

  server.on('connection', (socket) => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
  })
  server.prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
    responses.set(request.socket, response)
    if (isShuttingDown) response.setHeader('connection', 'close')
  })
  server.prependListener('upgrade', (_request: IncomingMessage, socket: Socket) => upgraded.add(socket))
  // Node also calls this when the server closes.
  server.closeIdleConnections = () => closeWhere(isIdle)

  /** The request is complete and its response is not sent yet. */
  function isInFlight(socket: Socket): boolean {
    const response = responses.get(socket)
    return response !== undefined && !response.writableFinished && response.req.complete
  }

  /** No request was received, or all responses are sent. */
  function isIdle(socket: Socket): boolean {
    const response = responses.get(socket)
    return response === undefined ? socket.bytesRead === 0 : response.writableFinished
  }

  function closeWhere(isUnused: (socket: Socket) => boolean): void {
    for (const socket of open) if (!upgraded.has(socket) && isUnused(socket)) socket.destroy()
  }

  return {
    closeAfterResponses() {
      isShuttingDown = true
      for (const socket of open) {
        const response = responses.get(socket)
        if (response && !response.headersSent) response.setHeader('connection', 'close')
      }
    },
    closeUnused(graceSeconds, onForcedClose) {
      closeWhere(isIdle)
      const received = new Map<Socket, number>()
      const stopChecking = repeatEvery(stalledSeconds, () => {
        closeWhere((socket) => {
          const before = received.get(socket)
          received.set(socket, socket.bytesRead)
          return !isInFlight(socket) && before === socket.bytesRead
        })
      })
      const stopWaiting = afterSeconds(graceSeconds, () => {
        if (open.size > 0) onForcedClose(open.size)
        for (const socket of open) socket.destroy()
      })
      return () => {
        stopChecking()
        stopWaiting()
      }
    },
  }
}
