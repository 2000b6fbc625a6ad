import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import websocket from '@fastify/websocket'
import { FreeJson } from '@millrace/contracts/primitives.ts'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import Type from 'typebox'
import type { WebSocket } from 'ws'
import { ApiError, forbidden } from '../errors.ts'
import type { Actor } from '../lib/actor.ts'
import { closeCodes, SocketRejection, type SocketRoute } from '../lib/socket.ts'
import { afterSeconds } from '../lib/time.ts'
import type { Authentication } from './auth.ts'
import type { ByteBudget } from './byte-budget.ts'
import { MessageSizeLimiter } from './message-size-limiter.ts'
import type { OriginCheck } from './origin-check.ts'
import type { JsonOptions } from './read-body.ts'
import type { SendBudget } from './send-budget.ts'
import { WebSocketPeer } from './websocket-peer.ts'

export interface SocketOptions extends JsonOptions {
  readonly authentication: Authentication
  readonly origins: OriginCheck
  readonly pingIntervalSeconds: number
  readonly pingTimeoutSeconds: number
  readonly messageBytesMax: number
  /** Whether an error means that the database is unavailable, so that the client should reconnect later. */
  isUnavailable?(error: unknown): boolean
  readonly bodyBudget: ByteBudget
  /** Called with the route of a new connection. Returns a function to call when it ends. */
  onOpen?(route: string): () => void
  readonly sendBudget: SendBudget
}

/** The subprotocol of clients that send credentials first. */
const subprotocol = 'prefect'

/** Maximum size of the first message, which holds credentials of a few hundred bytes. Applies until they are checked. */
const credentialsBytesMax = 8 * 1024

/** Time after which a peer that does not answer a close frame is disconnected. */
const closeTimeoutMs = 5000

/** Time for clients to answer the close frame when the server shuts down. */
const closeGraceSeconds = 0.25

/** Registers WebSocket routes at `/api/…` and at `/…`. They are not part of the OpenAPI document. */
export function registerWebSockets(server: FastifyInstance, routes: readonly SocketRoute[], options: SocketOptions): void {
  const pinger = createPinger(options)
  const streams = new WeakMap<IncomingMessage, Duplex>()
  server.server.on('upgrade', (request: IncomingMessage, stream: Duplex) => streams.set(request, stream))
  server.register(websocket, {
    options: {
      maxPayload: options.messageBytesMax,
      // WebSocketPeer sends pongs, since a pong confirms that all messages before it are stored.
      autoPong: false,
      // Missing in the types of the library.
      ...({ closeTimeout: closeTimeoutMs } as object),
      handleProtocols: (offered) => (offered.has(subprotocol) ? subprotocol : false),
    },
    preClose: () => pinger.end(),
    errorHandler: (error, socket, request) => {
      request.log.warn({ err: error, request_id: request.id }, 'WebSocket error')
      socket.terminate()
    },
  })
  closeRejectedUpgrades(server)
  server.register((scope, _options, done) => {
    for (const route of routes) {
      scope.route({
        method: 'GET',
        url: route.path,
        onRequest: async (request) => checkUpgrade(request, route, options),
        handler: (_request, reply) => reply.callNotFound(),
        wsHandler: (socket, request) => {
          pinger.add(socket)
          const onEnd = options.onOpen?.(route.path)
          if (onEnd) socket.once('close', onEnd)
          return serveConnection(socket, streams.get(request.raw) as Duplex, request, route, options)
        },
      })
    }
    done()
  })
}

/**
 * Closes connections whose upgrade a hook of the server rejected (host not allowed, shutdown). The plugin only closes those that reach its own hook,
 * and Node leaves an upgraded connection to its handler, so that it would stay open.
 */
function closeRejectedUpgrades(server: FastifyInstance): void {
  server.addHook('onResponse', (request, _reply, done) => {
    if ((request.raw as IncomingMessage & { upgrade?: boolean }).upgrade && !request.ws) request.raw.socket.destroy()
    done()
  })
}

/** Rejects the upgrade with an ordinary response where possible. */
function checkUpgrade(request: FastifyRequest, route: SocketRoute, { authentication, origins }: SocketOptions): void {
  if (!request.ws) return
  // CORS does not apply to WebSockets: without this check every page could read and send events.
  origins.rejectCrossOrigin(request)
  if ((authentication.requiresCredentials(route.scope) || route.requiresHandshake) && !offersSubprotocol(request))
    throw forbidden(`Use the subprotocol "${subprotocol}" and send credentials first`)
}

const offersSubprotocol = (request: FastifyRequest): boolean =>
  (request.headers['sec-websocket-protocol'] ?? '').split(',').some((offered) => offered.trim() === subprotocol)

async function serveConnection(
  socket: WebSocket,
  stream: Duplex,
  request: FastifyRequest,
  route: SocketRoute,
  options: SocketOptions,
): Promise<void> {
  const hasHandshake = socket.protocol === subprotocol
  const sizeLimiter = new MessageSizeLimiter(socket, stream, options.bodyBudget, hasHandshake ? credentialsBytesMax : Number.POSITIVE_INFINITY)
  const log = request.log.child({ request_id: request.id })
  const peer = new WebSocketPeer(socket, log, options, options.sendBudget)
  try {
    if (hasHandshake) {
      const actor = await performHandshake(peer, request.raw, route, options)
      if (!actor) return
      peer.actor = actor
      peer.send('{"type":"auth_success"}')
    }
    sizeLimiter.allowLarge()
    await route.serve(peer, request.params as Record<string, string>)
    peer.close(1000, '')
  } catch (error) {
    if (error instanceof SocketRejection) return peer.close(error.code, error.message)
    if (peer.signal.aborted) return
    if (options.isUnavailable?.(error)) {
      log.warn(`WebSocket closed, the database is unavailable: ${error instanceof Error ? error.message : String(error)}`)
      return peer.close(closeCodes.tryLater, 'Database unavailable. Try again.')
    }
    log.error({ err: error }, 'WebSocket closed by an error')
    peer.close(closeCodes.serverError, 'Internal server error')
  }
}

/** Without a password any token is accepted. */
const Auth = Type.Object({ type: Type.Literal('auth'), token: Type.Optional(FreeJson) })

/** Reads the first message, which holds credentials. Clients send it even if the server has no password. Undefined if the connection closed. */
async function performHandshake(
  peer: WebSocketPeer,
  request: IncomingMessage,
  route: SocketRoute,
  { authentication, pingTimeoutSeconds }: SocketOptions,
): Promise<Actor | undefined> {
  const rejection = (reason: string) => new SocketRejection(closeCodes.policy, route.unauthenticatedReason ?? reason)
  // Limits how long an unauthenticated client holds a connection.
  const cancelTimeout = afterSeconds(pingTimeoutSeconds, () =>
    peer.close(closeCodes.policy, route.unauthenticatedReason ?? 'Credentials were not sent in time'),
  )
  const first = await peer.next()
  cancelTimeout()
  if (first === undefined) return undefined
  if (first.length > credentialsBytesMax)
    throw new SocketRejection(closeCodes.tooLarge, `The first message can have at most ${credentialsBytesMax} bytes`)
  const reader = peer.read(Auth, await peer.parse(first).catch(() => undefined))
  if ('refusal' in reader) throw rejection('Expected an "auth" message first')
  const { token } = reader.value
  const isRequired = authentication.requiresCredentials(route.scope)
  if (isRequired && !token) throw rejection('Credentials required')
  if (isRequired && typeof token !== 'string') throw rejection('Wrong credentials')
  try {
    return authentication.ofToken(request, route.scope, token as string)
  } catch (error) {
    if (error instanceof ApiError && error.status === 429) throw new SocketRejection(closeCodes.tryLater, error.message)
    throw rejection('Wrong credentials')
  }
}

interface PingState {
  /** Timer ticks since an unanswered ping; undefined if there is none. */
  unanswered: number | undefined
  ticks: number
}

/** Pings all connections and closes those that do not answer, such as broken ones. One timer serves all connections. */
function createPinger({ pingIntervalSeconds, pingTimeoutSeconds }: SocketOptions) {
  const tickSeconds = Math.min(pingIntervalSeconds, pingTimeoutSeconds)
  const [pingEvery, timeoutTicks] = [Math.round(pingIntervalSeconds / tickSeconds), Math.ceil(pingTimeoutSeconds / tickSeconds)]
  const states = new Map<WebSocket, PingState>()
  let stop: (() => void) | undefined

  function tick(): void {
    for (const [socket, state] of states) {
      state.ticks += 1
      if (state.unanswered !== undefined) {
        state.unanswered += 1
        // The peer may still read the close frame; if not, the connection is terminated after the close timeout.
        if (state.unanswered === timeoutTicks)
          socket.close(socket.bufferedAmount > 0 ? closeCodes.tryLater : closeCodes.serverError, 'A ping was not answered')
      } else if (state.ticks % pingEvery === 0) {
        state.unanswered = 0
        socket.ping()
      }
    }
    stop = states.size > 0 ? afterSeconds(tickSeconds, tick) : undefined
  }

  return {
    add(socket: WebSocket): void {
      const state: PingState = { unanswered: undefined, ticks: 0 }
      states.set(socket, state)
      socket.on('pong', () => {
        state.unanswered = undefined
      })
      socket.on('close', () => states.delete(socket))
      stop ??= afterSeconds(tickSeconds, tick)
    },
    /** Sends a close frame to all peers and terminates those that do not answer. */
    async end(): Promise<void> {
      stop?.()
      const closed = [...states.keys()].map((socket) => new Promise((resolve) => socket.once('close', resolve)))
      for (const socket of states.keys()) socket.close(closeCodes.restart, 'Server is shutting down')
      const cancelTimeout = afterSeconds(closeGraceSeconds, () => {
        for (const socket of states.keys()) socket.terminate()
      })
      await Promise.all(closed)
      cancelTimeout()
    },
  }
}
