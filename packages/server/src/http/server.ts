import Fastify, { type FastifyInstance, type FastifyRequest, type FastifyServerOptions, LogController } from 'fastify'
import { closing } from '../errors.ts'
import type { Route } from '../lib/route.ts'
import { serveApiReference } from './api-reference.ts'
import { allowOrigins } from './cors.ts'
import { answerError, answerMalformedRequest, type ErrorOptions, handleErrors, sendError } from './error-handler.ts'
import { noRouteError } from './no-route-error.ts'
import { isUnsafeMethod, type OriginCheck } from './origin-check.ts'
import { type BodyOptions, receiveBodies } from './receive-body.ts'
import { checkHost, localPath, repairEscapes } from './request-url.ts'
import { addCommonHeaders } from './response-headers.ts'
import { type ServeOptions, serveRoutes } from './serve-routes.ts'

export interface HttpOptions extends ServeOptions, ErrorOptions, BodyOptions {
  readonly keepAliveTimeoutSeconds: number
  /** None unless they are named. */
  readonly corsOrigins?: readonly string[]
  /** Throws when the server does not answer for the host that the request names. */
  readonly checkAllowedHost?: ((request: FastifyRequest) => void) | undefined
  readonly logger: FastifyServerOptions['logger']
  newId(): string
}

/** A client that dribbles its request byte by byte holds a connection no longer than this. */
const requestSecondsMax = 300

/** The HTTP server with the routes on it, at `/api/…` and at `/…`, with and without a slash at the end. */
export function createServer(routes: readonly Route[], options: HttpOptions): FastifyInstance {
  const app = Fastify({
    logger: options.logger ?? false,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: options.bodyBytesMax,
    keepAliveTimeout: options.keepAliveTimeoutSeconds * 1000,
    requestTimeout: requestSecondsMax * 1000,
    forceCloseConnections: 'idle',
    genReqId: options.newId,
    requestIdHeader: false,
    exposeHeadRoutes: false,
    // What comes while we close is answered below, in the words of every other error.
    return503OnClosing: false,
    // Names may be as long as Node lets a whole request line be.
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 16_384 },
    rewriteUrl: (request) => repairEscapes(stripPrefix(localPath(request.url ?? '/'), options.basePath)),
    frameworkErrors: (error, request, reply) => void answerError(error, request, reply, options),
    clientErrorHandler: (error, socket) => answerMalformedRequest(error, socket, options.newId()),
  })
  receiveBodies(app, options)
  addRequestHooks(app, options)
  allowOrigins(app, options.corsOrigins ?? [])
  rejectCrossOriginWrites(app, options.origins)
  rejectUnknownPaths(app, routes)
  handleErrors(app, options)
  serveRoutes(app, routes, options)
  serveApiReference(app)
  app.setNotFoundHandler(async (request, reply) => sendError(reply, request, noRouteError(routes, request.method, request.url)))
  return app
}

/** What happens to every request, whatever it asks for. */
function addRequestHooks(app: FastifyInstance, { checkAllowedHost: refuseHost }: HttpOptions): void {
  let isClosing = false
  app.addHook('preClose', (done) => {
    isClosing = true
    done()
  })
  app.addHook('onRequest', (request, reply, done) => {
    addCommonHeaders(reply, request)
    if (isClosing) throw closing()
    checkHost(request)
    refuseHost?.(request)
    done()
  })
}

/** After the CORS headers are set, so that an allowed origin can read why its body is refused. */
function rejectCrossOriginWrites(app: FastifyInstance, origins: OriginCheck): void {
  app.addHook('onRequest', (request, _reply, done) => {
    if (isUnsafeMethod(request.method)) origins.rejectCrossOriginWrite(request)
    done()
  })
}

/** A request to a path that nobody serves is answered before its body is read. */
function rejectUnknownPaths(app: FastifyInstance, routes: readonly Route[]): void {
  app.addHook('onRequest', (request, _reply, done) => {
    const { 'content-length': length = '0', 'transfer-encoding': encoding } = request.headers
    if (request.is404 && (length !== '0' || encoding !== undefined)) throw noRouteError(routes, request.method, request.url)
    done()
  })
}

/** The same API at the root and below `/api`; a proxy may show everything below a path of its own. */
function stripPrefix(url: string, basePath: string): string {
  return removePrefix(removePrefix(url, basePath), '/api')
}

const removePrefix = (url: string, prefix: string): string => {
  if (!url.startsWith(prefix)) return url
  const rest = url.slice(prefix.length)
  if (rest === '' || rest.startsWith('?')) return `/${rest}`
  return rest.startsWith('/') ? rest : url
}
