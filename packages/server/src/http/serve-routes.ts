import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type Fault, InvalidRequest } from '../errors.ts'
import { Download, type Route, type RouteRequest, RouteResponse } from '../lib/route.ts'
import { serializeResponse } from '../lib/serialize-response.ts'
import { compileReader } from './compile-reader.ts'
import { noRouteError } from './no-route-error.ts'
import type { OriginCheck } from './origin-check.ts'
import { type AsyncFault, bodyReader, isQuery, type JsonOptions, queryBytesMax } from './read-body.ts'
import { queryReader } from './read-query.ts'
import { rejectCompressed } from './receive-body.ts'
import { requestUrl } from './request-url.ts'
import { disconnectSignal } from './response-end.ts'
import { contentDisposition } from './response-headers.ts'

export interface ServeOptions extends JsonOptions {
  readonly bodyBytesMax: number
  readonly basePath: string
  readonly origins: OriginCheck
  /** Runs a handler so that its reads and writes belong to the trace of the request. */
  traceHandler?<R>(request: FastifyRequest, handle: () => R): R
  /** Throws if the client is not allowed to call the route. */
  authorize(request: FastifyRequest, route: Route): void | Promise<void>
}

/** Registers routes on a Fastify instance: reads the request, calls the handler, writes the response. */
export function serveRoutes(app: FastifyInstance, routes: readonly Route[], options: ServeOptions): void {
  for (const route of routes) {
    const read = requestReader(route, routes, options)
    const defaultStatus = Number(Object.keys(route.responses)[0])
    app.route({
      method: route.method,
      url: route.path,
      ...(isQuery(route) ? { bodyLimit: Math.min(queryBytesMax, options.bodyBytesMax) } : {}),
      // Before the body is read, so that an unauthorised client cannot use 16 MiB of memory.
      onRequest: async (request) => {
        if (route.hasSideEffects) options.origins.rejectCrossOrigin(request)
        await options.authorize(request, route)
        rejectCompressed(request)
      },
      handler: async (request, reply) => {
        const received = new ReceivedRequest(await read(request, reply), request, reply, options.basePath)
        const handle = () => route.handle(received as never)
        return sendResponse(reply, await (options.traceHandler ? options.traceHandler(request, handle) : handle()), defaultStatus)
      },
    })
  }
}

/** What the handler of a route receives. Not a literal with getters, which would keep the whole request in memory for seconds (ADR 0039). */
class ReceivedRequest implements RouteRequest<unknown, unknown, unknown, unknown> {
  readonly params: unknown
  readonly query: unknown
  readonly headers: unknown
  readonly body: unknown
  readonly #request: FastifyRequest
  readonly #reply: FastifyReply
  readonly #basePath: string

  constructor({ params, query, headers, body }: RequestParts, request: FastifyRequest, reply: FastifyReply, basePath: string) {
    this.params = params
    this.query = query
    this.headers = headers
    this.body = body
    this.#request = request
    this.#reply = reply
    this.#basePath = basePath
  }

  get url(): string {
    return requestUrl(this.#request, this.#basePath)
  }

  get signal(): AbortSignal {
    return disconnectSignal(this.#reply)
  }
}

function sendResponse(reply: FastifyReply, result: unknown, defaultStatus: number): FastifyReply {
  if (result instanceof Download) {
    if (result.filename) reply.header('content-disposition', contentDisposition(result.filename))
    reply.header('content-type', result.type)
    return reply.send(typeof result.content === 'string' ? result.content : Readable.from(result.content, { objectMode: false }))
  }
  const { status, body, headers } = result instanceof RouteResponse ? result : new RouteResponse(defaultStatus, result)
  reply.code(status).headers(headers)
  if (status === 204) return reply.send()
  const written = serializeResponse(body ?? null)
  return reply.header('content-type', 'application/json').send(typeof written === 'string' ? written : Readable.from(written, { objectMode: false }))
}

type RequestParts = Pick<RouteRequest<unknown, unknown, unknown, unknown>, 'params' | 'query' | 'headers' | 'body'>

/** Reads all parts of a request and reports the faults of all of them together. */
function requestReader(
  route: Route,
  routes: readonly Route[],
  options: ServeOptions,
): (request: FastifyRequest, reply: FastifyReply) => RequestParts | Promise<RequestParts> {
  const params = route.params && compileReader(route.params)
  const query = route.query && queryReader(route.query)
  const headers = route.headers && compileReader(route.headers)
  const body = route.body && bodyReader(route, compileReader(route.body), options)
  const finish = (request: FastifyRequest, received: unknown, faults: Fault[], later: AsyncFault[]) => {
    const call = {
      params: params?.(request.params, ['path'], faults),
      query: query?.(request.query, ['query'], faults),
      headers: headers?.(request.headers, ['header'], faults),
      body: received,
    }
    if (!route.rejectsInvalidIds && faults.some(({ loc, type }) => loc[0] === 'path' && type === 'uuid_parsing'))
      throw noRouteError(routes, request.method, request.url)
    if (route.validateBody && call.body !== undefined) {
      const reported = faults.map(({ loc }) => loc)
      faults.push(
        ...collectFaults(route.validateBody, call.body).filter(({ loc }) => !reported.some((other) => isWithin(loc, other) || isWithin(other, loc))),
      )
    }
    if (later.length > 0) return awaitAsyncFaults(call, faults, later)
    if (faults.length > 0) throw new InvalidRequest(faults)
    return call
  }
  return (request, reply) => {
    const faults: Fault[] = []
    const later: AsyncFault[] = []
    const sent = body?.parse(request, reply)
    if (!(sent instanceof Promise)) return finish(request, body?.read(sent, faults, later), faults, later)
    return sent.then(async (large) => finish(request, await body?.readLarge(large, faults, later), faults, later))
  }
}

/** Faults of the whole body replace all others. */
async function awaitAsyncFaults(call: RequestParts, faults: readonly Fault[], later: readonly AsyncFault[]): Promise<RequestParts> {
  const bodyFaults = (await Promise.all(later)).filter((fault) => fault !== undefined)
  if (bodyFaults.length + faults.length > 0) throw new InvalidRequest(bodyFaults.length > 0 ? bodyFaults : faults)
  return call
}

function collectFaults(validate: NonNullable<Route['validateBody']>, body: unknown): readonly Fault[] {
  try {
    validate(body as never)
    return []
  } catch (error) {
    if (error instanceof InvalidRequest) return error.faults
    throw error
  }
}

const isWithin = (loc: Fault['loc'], outer: Fault['loc']): boolean => outer.every((step, index) => loc[index] === step)
