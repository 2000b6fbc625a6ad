import Fastify, { type FastifyInstance, type FastifyServerOptions, LogController } from 'fastify'
import { methodNotAllowed, noSuchRoute } from '../errors.ts'
import type { Route } from '../lib/route.ts'
import { handleErrors, sendError } from './error-handler.ts'
import { type ServeOptions, serveRoutes } from './serve-routes.ts'

export interface HttpOptions extends ServeOptions {
  readonly basePath: string
  readonly bodyBytesMax: number
  readonly keepAliveTimeoutSeconds: number
  readonly logger: FastifyServerOptions['logger']
  newId(): string
}

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

/** The HTTP server with the routes on it, at `/api/…` and at `/…`, with and without a slash at the end. */
export function createServer(routes: readonly Route[], options: HttpOptions): FastifyInstance {
  const app = Fastify({
    logger: options.logger ?? false,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: options.bodyBytesMax,
    keepAliveTimeout: options.keepAliveTimeoutSeconds * 1000,
    forceCloseConnections: 'idle',
    genReqId: options.newId,
    requestIdHeader: false,
    exposeHeadRoutes: false,
    return503OnClosing: true,
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 2000 },
    rewriteUrl: (request) => stripPrefix(request.url ?? '/', options.basePath),
  })
  // Bodies come as text: how they are read depends on the route.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => done(null, body))
  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id)
  })
  handleErrors(app, options.bodyBytesMax)
  serveRoutes(app, routes, options)
  app.setNotFoundHandler(async (request, reply) => {
    const path = request.url.split('?')[0] ?? request.url
    const allowed = methods.filter((method) => matches(routes, method, path))
    const error = allowed.length > 0 ? methodNotAllowed(request.method, allowed) : noSuchRoute(request.method, path)
    return sendError(reply, request, error)
  })
  return app
}

/** The same API at the root and below `/api`; a proxy may show everything below a path of its own. */
function stripPrefix(url: string, basePath: string): string {
  const local = basePath !== '' && url.startsWith(`${basePath}/`) ? url.slice(basePath.length) : url
  return local === '/api' || local.startsWith('/api/') || local.startsWith('/api?') ? local.slice(4) || '/' : local
}

/** Whether a route of that method would take the path, whatever its parameters are. */
function matches(routes: readonly Route[], method: string, path: string): boolean {
  const parts = path.split('/').filter(Boolean)
  return routes.some((route) => {
    if (route.method !== method) return false
    const wanted = route.path.split('/').filter(Boolean)
    return wanted.length === parts.length && wanted.every((part, index) => part.startsWith(':') || part === parts[index])
  })
}
