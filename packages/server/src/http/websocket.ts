import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import websocket from '@fastify/websocket'
import { FreeJson } from '@millrace/contracts/primitives.ts'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import Type from 'typebox'
import type { WebSocket } from 'ws'
import { forbidden, noSuchRoute } from '../errors.ts'
import { closeCodes, SocketRejection, type SocketRoute } from '../lib/socket.ts'
import { afterSeconds } from '../lib/time.ts'
import type { ByteBudget } from './byte-budget.ts'
import { MessageSizeLimiter } from './message-size-limiter.ts'
import type { OriginCheck } from './origin-check.ts'
import type { JsonOptions } from './read-body.ts'
import { WebSocketPeer } from './websocket-peer.ts'

export interface SocketOptions extends JsonOptions {
  /** Undefined when nobody has to show credentials. */
  readonly isGoodToken?: (token: string) => boolean
  readonly origins: OriginCheck
  readonly pingIntervalSeconds: number
  readonly pingTimeoutSeconds: number
  readonly messageBytesMax: number
  /** Whether an error means that the database is away, so that the client should come back later. */
  isUnavailable?(error: unknown): boolean
  readonly bodyBudget: ByteBudget
}

/** The word that clients and we agree on for beginning with credentials. */
const subprotocol = 'prefect'

/** A first message shows credentials, which have a few hundred bytes. Until they are found good, nothing larger is received. */
const credentialsBytesMax = 8 * 1024

/** Whoever does not answer a farewell is gone after this, and what waited for it with it. */
const closeTimeoutMs = 5000

/** How long clients may take to say goodbye when the server ends. */
const closeGraceSeconds = 0.25

/** Puts sockets on a server, at `/api/…` and at `/…`. They are no part of the OpenAPI document. */
export function registerWebSockets(server: FastifyInstance, routes: readonly SocketRoute[], options: SocketOptions): void {
  const sweeper = createPinger(options)
  const streams = new WeakMap<IncomingMessage, Duplex>()
  server.server.on('upgrade', (request: IncomingMessage, stream: Duplex) => streams.set(request, stream))
  server.register(websocket, {
    options: {
      maxPayload: options.messageBytesMax,
      // A pong says that what came before it is kept: the peer sends it, not the library.
      autoPong: false,
      // The types of the library do not know this one.
      ...({ closeTimeout: closeTimeoutMs } as object),
      handleProtocols: (offered) => (offered.has(subprotocol) ? subprotocol : false),
    },
    preClose: () => sweeper.end(),
    errorHandler: (error, socket, request) => {
      request.log.warn({ err: error }, 'a websocket broke')
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
        handler: (request) => {
          throw noSuchRoute(request.method, request.url)
        },
        wsHandler: (socket, request) => {
          sweeper.add(socket)
          return serveConnection(socket, streams.get(request.raw) as Duplex, request, route, options)
        },
      })
    }
    done()
  })
}

/**
 * Closes connections whose upgrade was refused by a hook of the server (its host is not served, the server is closing). The plugin only closes those
 * that came as far as its own hook, and Node leaves the connection to whoever takes the upgrade: it would stay open for good.
 */
function closeRejectedUpgrades(server: FastifyInstance): void {
  server.addHook('onResponse', (request, _reply, done) => {
    if ((request.raw as IncomingMessage & { upgrade?: boolean }).upgrade && !request.ws) request.raw.socket.destroy()
    done()
  })
}

/** What can be told before the connection stands is told as an ordinary answer. */
function checkUpgrade(request: FastifyRequest, route: SocketRoute, { isGoodToken, origins }: SocketOptions): void {
  if (!request.ws) return
  // CORS does not bind sockets: without this every page could open one, read events and send them.
  origins.rejectCrossOrigin(request)
  if ((isGoodToken || route.requiresHandshake) && !offersSubprotocol(request))
    throw forbidden(`Offer the subprotocol "${subprotocol}" and begin with credentials`)
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
  const begins = socket.protocol === subprotocol
  const intake = new MessageSizeLimiter(socket, stream, options.bodyBudget, begins ? credentialsBytesMax : Number.POSITIVE_INFINITY)
  const peer = new WebSocketPeer(socket, request.log, options)
  try {
    if (begins && !(await performHandshake(peer, route, options))) return
    intake.allowLarge()
    await route.serve(peer, request.params as Record<string, string>)
    peer.close(1000, '')
  } catch (error) {
    if (error instanceof SocketRejection) return peer.close(error.code, error.message)
    if (peer.signal.aborted) return
    if (options.isUnavailable?.(error)) {
      request.log.warn(`a websocket ended because the database is away: ${error instanceof Error ? error.message : String(error)}`)
      return peer.close(closeCodes.tryLater, 'The database is away; try again in a moment')
    }
    request.log.error({ err: error }, 'a websocket ended by an error')
    peer.close(closeCodes.serverError, 'The server met an error')
  }
}

/** Where nobody asks for credentials, whatever is shown as such will do. */
const Auth = Type.Object({ type: Type.Literal('auth'), token: Type.Optional(FreeJson) })

/** The first message shows credentials, also where none are asked for: clients always begin like this. */
async function performHandshake(peer: WebSocketPeer, route: SocketRoute, { isGoodToken, pingTimeoutSeconds }: SocketOptions): Promise<boolean> {
  const refuse = (why: string) => new SocketRejection(closeCodes.policy, route.unauthenticatedReason ?? why)
  // Nobody holds a connection for long without having shown who they are.
  const hurry = afterSeconds(pingTimeoutSeconds, () =>
    peer.close(closeCodes.policy, route.unauthenticatedReason ?? 'No credentials were shown in time'),
  )
  const first = await peer.next()
  hurry()
  if (first === undefined) return false
  if (first.length > credentialsBytesMax)
    throw new SocketRejection(closeCodes.tooLarge, `The first message may have ${credentialsBytesMax} bytes at most`)
  const reader = peer.read(Auth, await peer.parse(first).catch(() => undefined))
  if ('refusal' in reader) throw refuse('Expected an "auth" message first')
  const { token } = reader.value
  if (isGoodToken && !token) throw refuse('Credentials are asked for and none were shown')
  if (isGoodToken && !(typeof token === 'string' && isGoodToken(token))) throw refuse('The credentials are wrong')
  peer.send('{"type":"auth_success"}')
  return true
}

interface PingState {
  /** Turns since a ping that was not answered; undefined when there is none. */
  unanswered: number | undefined
  ticks: number
}

/**
 * Pings all connections and lets go of those that do not answer, so that one that broke without a word costs nothing for long. Time is counted
 * in turns of one timer for all.
 */
function createPinger({ pingIntervalSeconds, pingTimeoutSeconds }: SocketOptions) {
  const turnSeconds = Math.min(pingIntervalSeconds, pingTimeoutSeconds)
  const [pingEvery, patience] = [Math.round(pingIntervalSeconds / turnSeconds), Math.ceil(pingTimeoutSeconds / turnSeconds)]
  const watched = new Map<WebSocket, PingState>()
  let stop: (() => void) | undefined

  function turn(): void {
    for (const [socket, state] of watched) {
      state.ticks += 1
      if (state.unanswered !== undefined) {
        state.unanswered += 1
        // It may yet read this; if it does not, the connection is cut soon after.
        if (state.unanswered === patience)
          socket.close(socket.bufferedAmount > 0 ? closeCodes.tryLater : closeCodes.serverError, 'A ping was not answered')
      } else if (state.ticks % pingEvery === 0) {
        state.unanswered = 0
        socket.ping()
      }
    }
    stop = watched.size > 0 ? afterSeconds(turnSeconds, turn) : undefined
  }

  return {
    add(socket: WebSocket): void {
      const state: PingState = { unanswered: undefined, ticks: 0 }
      watched.set(socket, state)
      socket.on('pong', () => {
        state.unanswered = undefined
      })
      socket.on('close', () => watched.delete(socket))
      stop ??= afterSeconds(turnSeconds, turn)
    },
    /** Tells everybody that the server ends, and does not wait for long. */
    async end(): Promise<void> {
      stop?.()
      const gone = [...watched.keys()].map((socket) => new Promise((resolve) => socket.once('close', resolve)))
      for (const socket of watched.keys()) socket.close(closeCodes.restart, 'The server is ending')
      const hurry = afterSeconds(closeGraceSeconds, () => {
        for (const socket of watched.keys()) socket.terminate()
      })
      await Promise.all(gone)
      hurry()
    },
  }
}
