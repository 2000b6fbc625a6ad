import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type FastifyServerOptions,
  LogController,
} from 'fastify'
import { closing, unsupportedTransferCoding } from '../errors.ts'
import { type Actor, actorText, anonymous } from '../lib/actor.ts'
import type { Route } from '../lib/route.ts'
import { serveApiReference } from './api-reference.ts'
import { allowOrigins } from './cors.ts'
import { answerError, answerMalformedRequest, type ErrorOptions, handleErrors, sendError } from './error-handler.ts'
import { noRouteError } from './no-route-error.ts'
import { isUnsafeMethod } from './origin-check.ts'
import { createTurns } from './pipelined-requests.ts'
import { type BodyOptions, checkMediaType, createBodyReceiver } from './receive-body.ts'
import { createRequestLimit, type RequestLimitOptions } from './request-limit.ts'
import { checkHost, localPath, repairEscapes } from './request-url.ts'
import { addCommonHeaders } from './response-headers.ts'
import { type ServeOptions, serveRoutes } from './serve-routes.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Path of the route, with `:name` for parameters, once the route has the request. `routeOptions` is created by each reading. */
    routePath: string
    /** Who sends the request, once the route has it. */
    actor: Actor
  }
}

export interface HttpOptions extends ServeOptions, ErrorOptions, BodyOptions, RequestLimitOptions {
  /** Maximum number of open connections, WebSockets included. More are closed at once. */
  readonly connectionsMax: number
  readonly keepAliveTimeoutSeconds: number
  /** No origin by default. */
  readonly corsOrigins?: readonly string[]
  /** Throws if the host of the request is not allowed. */
  readonly checkAllowedHost?: ((request: FastifyRequest) => void) | undefined
  readonly logger: FastifyServerOptions['logger']
  /** Called after each response. The route has its parameters by name, and is empty if none matched. */
  onResponse?(method: string, route: string, status: number, seconds: number): void
  /** Level of messages about single requests; that of the server by default. */
  readonly httpLogLevel?: string
  readonly tracer?: { addHooks(app: FastifyInstance): void } | undefined
  newId(): string
}

/** Limits how long a slow client can hold a connection with one request. */
const requestSecondsMax = 300

/**
 * A connection on which nothing moves for this long is closed: a client that does not read its response would keep it in memory. Longer than any request
 * is held or any statement runs. Does not apply to WebSockets, which are pinged.
 */
const idleSecondsMax = 120

/** Creates the HTTP server with the routes at `/api/…` and at `/…`, with and without a trailing slash. */
export function createServer(routes: readonly Route[], options: HttpOptions): FastifyInstance {
  const app = Fastify({
    logger: options.logger ?? false,
    logController: new LogController({ disableRequestLogging: true }),
    childLoggerFactory: sharedLogger(options.httpLogLevel),
    bodyLimit: options.bodyBytesMax,
    keepAliveTimeout: options.keepAliveTimeoutSeconds * 1000,
    requestTimeout: requestSecondsMax * 1000,
    connectionTimeout: idleSecondsMax * 1000,
    forceCloseConnections: 'idle',
    genReqId: options.newId,
    requestIdHeader: false,
    exposeHeadRoutes: false,
    // The hook below rejects requests during shutdown in the format of all errors.
    return503OnClosing: false,
    // Names can be as long as the maximum request line of Node.
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 16_384 },
    rewriteUrl: (request) => repairEscapes(stripPrefix(localPath(request.url ?? '/'), options.basePath)),
    frameworkErrors: (error, request, reply) => void answerError(error, request, reply, options),
    clientErrorHandler: (error, socket) => answerMalformedRequest(error, socket, options.newId()),
  })
  app.decorateRequest('actor', null as never)
  options.tracer?.addHooks(app)
  measureRequests(app, options)
  if (options.httpLogLevel === 'debug' || options.httpLogLevel === 'trace') logRequests(app)
  app.server.maxConnections = options.connectionsMax
  // Node would ask for the body before the request is checked. `receiveBody` does it when the body is wanted.
  app.server.on('checkContinue', (request, response) => app.server.emit('request', request, response))
  leaveBodies(app)
  checkRequests(app, routes, options)
  handleErrors(app, options)
  serveRoutes(app, routes, { ...options, receiveBody: createBodyReceiver(options) })
  serveApiReference(app)
  app.setNotFoundHandler((request, reply) => {
    if (methodsWithBody.has(request.method)) checkMediaType(request.headers['content-type'])
    sendError(reply, request, noRouteError(routes, request.method, request.url))
  })
  return app
}

const methodsWithBody = new Set(['POST', 'PUT', 'PATCH', 'DELETE'])

/** Leaves all bodies to the routes. The parsers of Fastify cost about as much as the rest of a small request. */
function leaveBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  for (const method of methodsWithBody) app.addHttpMethod(method, { hasBody: false, overrideExisting: true })
}

/** One logger for all requests: few of them log anything, and what they log has their id. */
function sharedLogger(level: string | undefined): FastifyServerOptions['childLoggerFactory'] {
  let shared: FastifyBaseLogger | undefined
  return (logger) => {
    shared ??= logger.child({ room: 'http' }, level === undefined ? {} : { level })
    return shared
  }
}

function measureRequests(app: FastifyInstance, { onResponse }: HttpOptions): void {
  if (!onResponse) return
  app.decorateRequest('routePath', '')
  app.addHook('onResponse', (request, reply, done) => {
    onResponse(request.method, request.routePath || (request.routeOptions.url ?? ''), reply.statusCode, reply.elapsedTime / 1000)
    done()
  })
}

function logRequests(app: FastifyInstance): void {
  app.addHook('onResponse', (request, reply, done) => {
    const { id: request_id, method, url: path } = request
    const actor = actorText(request.actor ?? anonymous)
    request.log.debug({ request_id, method, path, actor, status: reply.statusCode, ms: Math.round(reply.elapsedTime) }, 'answered a request')
    done()
  })
}

/** Checks every request before its route does. One hook, because Fastify takes about ten steps from one to the next. */
function checkRequests(app: FastifyInstance, routes: readonly Route[], options: HttpOptions): void {
  const { checkAllowedHost, origins } = options
  const limitRequests = createRequestLimit(options)
  const takeTurn = createTurns(options.requestsMax)
  const answerCors = allowOrigins(app, options.corsOrigins ?? [])
  let isClosing = false
  app.addHook('preClose', (done) => {
    isClosing = true
    done()
  })
  function check(request: FastifyRequest, reply: FastifyReply): boolean {
    addCommonHeaders(reply, request)
    if (isClosing) throw closing()
    checkTransferCoding(request)
    checkHost(request)
    checkAllowedHost?.(request)
    limitRequests(request, reply)
    if (answerCors?.(request, reply)) return false
    // After the CORS headers are set, so that an allowed origin can read why its body is rejected.
    if (isUnsafeMethod(request.method)) origins.rejectCrossOriginWrite(request)
    if (request.is404) rejectUnknownPath(request, routes)
    return true
  }
  app.addHook('onRequest', (request, reply, done) => {
    takeTurn(request, reply, () => {
      try {
        if (check(request, reply)) done()
      } catch (error) {
        done(error as Error)
      }
    })
  })
}

/** The parser only looks whether the last coding is `chunked`, and passes on a body that is also compressed as if it were not (RFC 9112, 6.1). */
function checkTransferCoding({ raw }: FastifyRequest): void {
  const coding = raw.headers['transfer-encoding']
  if (coding !== undefined && coding.trim().toLowerCase() !== 'chunked') throw unsupportedTransferCoding(JSON.stringify(coding))
}

/** Answers a request without a route before its body is read. */
function rejectUnknownPath(request: FastifyRequest, routes: readonly Route[]): void {
  const { 'content-length': length = '0', 'transfer-encoding': encoding } = request.headers
  if (length !== '0' || encoding !== undefined) throw noRouteError(routes, request.method, request.url)
}

/** The API is served at the root and below `/api`; a proxy may add the base path. */
function stripPrefix(url: string, basePath: string): string {
  return removePrefix(removePrefix(url, basePath), '/api')
}

const removePrefix = (url: string, prefix: string): string => {
  if (!url.startsWith(prefix)) return url
  const rest = url.slice(prefix.length)
  if (rest === '' || rest.startsWith('?')) return `/${rest}`
  return rest.startsWith('/') ? rest : url
}
