import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type Fault, InvalidRequest } from '../errors.ts'
import type { Actor } from '../lib/actor.ts'
import { Download, type Route, type RouteRequest, RouteResponse } from '../lib/route.ts'
import { serializeResponse } from '../lib/serialize-response.ts'
import { compileReader } from './compile-reader.ts'
import { noRouteError } from './no-route-error.ts'
import type { OriginCheck } from './origin-check.ts'
import { type AsyncFault, bodyReader, type JsonOptions, queryBytesMax } from './read-body.ts'
import { queryReader } from './read-query.ts'
import { type ReceiveBody, rejectCompressed } from './receive-body.ts'
import { requestUrl } from './request-url.ts'
import { disconnectSignal } from './response-end.ts'
import { contentDisposition } from './response-headers.ts'

export interface ServeOptions extends JsonOptions {
  readonly bodyBytesMax: number
  readonly basePath: string
  readonly origins: OriginCheck
  /** Runs a handler so that its reads and writes belong to the trace of the request. */
  traceHandler?<R>(request: FastifyRequest, handle: () => R): R
  /** Who sends the request. Throws without the credentials that the route requires. */
  authenticate(request: FastifyRequest, route: Route): Actor
  /** Throws if the client is not allowed to call the route. */
  authorize(request: FastifyRequest, route: Route): void | Promise<void>
}

/** Registers routes on a Fastify instance: reads the request, calls the handler, writes the response. */
export function serveRoutes(app: FastifyInstance, routes: readonly Route[], options: ServeOptions & { readonly receiveBody: ReceiveBody }): void {
  const { receiveBody, bodyBytesMax } = options
  for (const route of routes) {
    const { method, path, kind } = route
    const isChangeByGet = kind === 'change' && method === 'GET'
    const answer = createAnswer(route, routes, options)
    const largeBytesMax = kind === 'query' ? Math.min(queryBytesMax, bodyBytesMax) : bodyBytesMax
    app.route({
      method,
      url: path,
      // Before the body is read, so that an unauthorised client cannot use 16 MiB of memory.
      onRequest: (request, _reply, done) => {
        request.routePath = path
        if (isChangeByGet) options.origins.rejectCrossOrigin(request)
        request.actor = options.authenticate(request, route)
        const authorized = options.authorize(request, route)
        if (authorized instanceof Promise) {
          authorized.then(() => rejectCompressed(request)).then(() => done(), done)
        } else {
          rejectCompressed(request)
          done()
        }
      },
      handler: method === 'GET' ? answer : (request, reply) => receiveBody(request, reply, largeBytesMax, answer),
    })
  }
}

/**
 * Returns a function that reads a received request, calls the handler and sends the response. Without `async`: each `await` of a value that is already
 * there takes a turn of the microtask queue.
 */
function createAnswer(route: Route, routes: readonly Route[], options: ServeOptions): (request: FastifyRequest, reply: FastifyReply) => void {
  const { traceHandler, basePath } = options
  const read = requestReader(route, routes, options)
  const defaultStatus = Number(Object.keys(route.responses)[0])

  function handle(parts: RequestParts, request: FastifyRequest, reply: FastifyReply): void {
    const received = new ReceivedRequest(parts, request, reply, basePath)
    const result = traceHandler ? traceHandler(request, () => route.handle(received as never)) : route.handle(received as never)
    if (result instanceof Promise) {
      result.then(
        (value) => trySendResponse(reply, value, defaultStatus),
        (error) => sendFailure(reply, error),
      )
    } else {
      sendResponse(reply, result, defaultStatus)
    }
  }

  return (request, reply) => {
    try {
      const parts = read(request, reply)
      if (parts instanceof Promise) parts.then((late) => handle(late, request, reply)).catch((error) => sendFailure(reply, error))
      else handle(parts, request, reply)
    } catch (error) {
      sendFailure(reply, error)
    }
  }
}

/** Fastify takes anything but an `Error` for the content of a response. */
function sendFailure(reply: FastifyReply, thrown: unknown): void {
  void reply.send(thrown instanceof Error ? thrown : new Error('The handler threw a value that is not an error', { cause: thrown }))
}

/** What the handler of a route receives. Not a literal with getters, which would keep the whole request in memory for seconds (ADR 0059). */
class ReceivedRequest implements RouteRequest<unknown, unknown, unknown, unknown> {
  readonly params: unknown
  readonly query: unknown
  readonly headers: unknown
  readonly body: unknown
  readonly actor: Actor
  readonly #request: FastifyRequest
  readonly #reply: FastifyReply
  readonly #basePath: string

  constructor({ params, query, headers, body }: RequestParts, request: FastifyRequest, reply: FastifyReply, basePath: string) {
    this.params = params
    this.query = query
    this.headers = headers
    this.body = body
    this.actor = request.actor
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

function trySendResponse(reply: FastifyReply, result: unknown, defaultStatus: number): void {
  try {
    sendResponse(reply, result, defaultStatus)
  } catch (error) {
    sendFailure(reply, error)
  }
}

function sendResponse(reply: FastifyReply, result: unknown, defaultStatus: number): void {
  if (result instanceof RouteResponse) sendJson(reply.headers(result.headers), result.status, result.body)
  else if (result instanceof Download) sendDownload(reply, result)
  else sendJson(reply, defaultStatus, result)
}

function sendDownload(reply: FastifyReply, { type, content, filename }: Download): void {
  if (filename) reply.header('content-disposition', contentDisposition(filename))
  reply.header('content-type', type)
  void reply.send(typeof content === 'string' ? content : Readable.from(content, { objectMode: false }))
}

function sendJson(reply: FastifyReply, status: number, body: unknown): void {
  reply.code(status)
  if (status === 204) return void reply.send()
  const written = serializeResponse(body ?? null)
  // Fastify would add the charset to a text, and not to a stream.
  if (typeof written === 'string') void reply.header('content-type', 'application/json; charset=utf-8').send(written)
  else void reply.header('content-type', 'application/json').send(Readable.from(written, { objectMode: false }))
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
