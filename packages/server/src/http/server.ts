import Fastify, { type FastifyInstance, type FastifyRequest, type FastifyServerOptions, LogController } from 'fastify'
import { closing } from '../errors.ts'
import type { Route } from '../lib/route.ts'
import { checkHost, localPath } from './address.ts'
import { addStandingHeaders } from './answer-headers.ts'
import { allowOrigins } from './cors.ts'
import { answerError, type ErrorOptions, handleErrors, sendError } from './error-handler.ts'
import { answerMalformed } from './malformed.ts'
import { mayChange, type OriginCheck } from './origin-check.ts'
import { mendEscapes } from './percent-escapes.ts'
import { type BodyOptions, receiveBodies } from './receive-body.ts'
import { serveReference } from './reference.ts'
import { type ServeOptions, serveRoutes } from './serve-routes.ts'
import { unmatched } from './unmatched.ts'

export interface HttpOptions extends ServeOptions, ErrorOptions, BodyOptions {
  readonly keepAliveTimeoutSeconds: number
  /** None unless they are named. */
  readonly corsOrigins?: readonly string[]
  /** Throws when the server does not answer for the host that the request names. */
  readonly refuseHost?: ((request: FastifyRequest) => void) | undefined
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
    rewriteUrl: (request) => mendEscapes(stripPrefix(localPath(request.url ?? '/'), options.basePath)),
    frameworkErrors: (error, request, reply) => void answerError(error, request, reply, options),
    clientErrorHandler: (error, socket) => answerMalformed(error, socket, options.newId()),
  })
  receiveBodies(app, options)
  receive(app, options)
  allowOrigins(app, options.corsOrigins ?? [])
  refuseForeignChanges(app, options.origins)
  refuseUnknownPaths(app, routes)
  handleErrors(app, options)
  serveRoutes(app, routes, options)
  serveReference(app)
  app.setNotFoundHandler(async (request, reply) => sendError(reply, request, unmatched(routes, request.method, request.url)))
  return app
}

/** What happens to every request, whatever it asks for. */
function receive(app: FastifyInstance, { refuseHost }: HttpOptions): void {
  let isClosing = false
  app.addHook('preClose', (done) => {
    isClosing = true
    done()
  })
  app.addHook('onRequest', (request, reply, done) => {
    addStandingHeaders(reply, request)
    if (isClosing) throw closing()
    checkHost(request)
    refuseHost?.(request)
    done()
  })
}

/** After the CORS headers are set, so that an allowed origin can read why its body is refused. */
function refuseForeignChanges(app: FastifyInstance, origins: OriginCheck): void {
  app.addHook('onRequest', (request, _reply, done) => {
    if (mayChange(request.method)) origins.refuseForeignChange(request)
    done()
  })
}

/** A request to a path that nobody serves is answered before its body is read. */
function refuseUnknownPaths(app: FastifyInstance, routes: readonly Route[]): void {
  app.addHook('onRequest', (request, _reply, done) => {
    const { 'content-length': length = '0', 'transfer-encoding': encoding } = request.headers
    if (request.is404 && (length !== '0' || encoding !== undefined)) throw unmatched(routes, request.method, request.url)
    done()
  })
}

/** The same API at the root and below `/api`; a proxy may show everything below a path of its own. */
function stripPrefix(url: string, basePath: string): string {
  return without(without(url, basePath), '/api')
}

const without = (url: string, prefix: string): string => {
  if (!url.startsWith(prefix)) return url
  const rest = url.slice(prefix.length)
  if (rest === '' || rest.startsWith('?')) return `/${rest}`
  return rest.startsWith('/') ? rest : url
}
