import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyReply, FastifyRequest } from 'fastify'

/** Maximum number of requests of one connection that wait for their turn. No client of the API pipelines; load generators send up to a few hundred. */
const waitingMax = 1000

interface Line {
  /** The response of the request that was started last. */
  current: ServerResponse
  /** Starts each of the requests that wait, in order. */
  readonly waiting: (() => void)[]
  isWatched: boolean
}

/** Calls `start` when the responses of all earlier requests of the connection are sent. */
export type TakeTurn = (request: FastifyRequest, reply: FastifyReply, start: () => void) => void

/**
 * Handles the requests of a connection one after the other: the next one starts when the socket has taken the response before it. Node hands over all
 * requests that a client has pipelined at once, so that the responses of a client that does not read would be in memory together. A connection with too many waiting
 * requests is closed, and one that lets a request wait while those of all connections are at the limit.
 */
export function createTurns(allWaitingMax: number): TakeTurn {
  const lines = new WeakMap<Socket, Line>()
  let allWaiting = 0

  function startNext(line: Line): void {
    const start = line.waiting.shift()
    if (!start) return
    allWaiting -= 1
    start()
    if (line.waiting.length > 0) watch(line)
  }

  /** In a turn of the event loop of its own: a response that the socket takes at once would start the next request in the same turn. */
  function watch(line: Line): void {
    line.current.once('close', () => setImmediate(startNext, line))
  }

  function wait(socket: Socket, line: Line, start: () => void): void {
    if (line.waiting.length >= waitingMax || allWaiting >= allWaitingMax) {
      socket.destroy()
      return
    }
    if (!line.isWatched) {
      line.isWatched = true
      socket.once('close', () => {
        allWaiting -= line.waiting.splice(0).length
      })
    }
    allWaiting += 1
    if (line.waiting.push(start) === 1) watch(line)
  }

  return ({ raw }, { raw: response }, start) => {
    const { socket, upgrade } = raw as IncomingMessage & { socket?: Socket; upgrade?: boolean }
    // A WebSocket is the last request of its connection. In tests it may have no socket.
    if (upgrade || !socket) return start()
    const line = lines.get(socket)
    const startThis = () => {
      if (line) line.current = response
      start()
    }
    if (!line) lines.set(socket, { current: response, waiting: [], isWatched: false })
    if (line && (line.waiting.length > 0 || !line.current.writableFinished)) wait(socket, line, startThis)
    else startThis()
  }
}
