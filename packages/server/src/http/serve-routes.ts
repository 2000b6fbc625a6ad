import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type Fault, InvalidRequest } from '../errors.ts'
import { JsonTooDeep, parseJson, writeJson } from '../lib/json.ts'
import { JsonSyntaxError } from '../lib/json-exact.ts'
import { Answer, Download, type Route } from '../lib/route.ts'
import { compileReader, type Reader } from './reader.ts'

export interface ServeOptions {
  readonly jsonDepthMax: number
  /** Throws when the caller may not call this route. */
  authorize(request: FastifyRequest, route: Route): void | Promise<void>
}

/** Puts routes on a Fastify instance: reads the request, calls the handler, writes the answer. */
export function serveRoutes(app: FastifyInstance, routes: readonly Route[], options: ServeOptions): void {
  for (const route of routes) {
    const read = requestReader(route, options)
    const defaultStatus = Number(Object.keys(route.answers)[0])
    app.route({
      method: route.method,
      url: route.path,
      handler: async (request, reply) => {
        await options.authorize(request, route)
        const call = read(request)
        const answer = await route.handle({ ...call, url: urlOf(request), signal: request.signal } as never)
        return send(reply, answer, defaultStatus)
      },
    })
  }
}

function send(reply: FastifyReply, answer: unknown, defaultStatus: number): FastifyReply {
  if (answer instanceof Download) {
    if (answer.filename) reply.header('content-disposition', disposition(answer.filename))
    reply.header('content-type', answer.type)
    return reply.send(typeof answer.content === 'string' ? answer.content : iterate(answer.content))
  }
  const { status, body, headers } = answer instanceof Answer ? answer : new Answer(defaultStatus, answer)
  reply.code(status).headers(headers)
  if (status === 204) return reply.send()
  return reply.header('content-type', 'application/json').send(writeJson(body ?? null))
}

/** The name in plain letters for old browsers, and as it is for the others. */
const disposition = (name: string): string =>
  `attachment; filename="${name.replaceAll(/[^\w.-]/g, '_')}"; filename*=UTF-8''${encodeURIComponent(name)}`

const iterate = (pieces: AsyncIterable<string>) => ReadableStream.from(pieces).pipeThrough(new TextEncoderStream())

const urlOf = (request: FastifyRequest): string => `${request.protocol}://${request.host}${request.originalUrl}`

/** Reads all parts of a request and judges them together, so that a client hears of every fault at once. */
function requestReader(route: Route, options: ServeOptions): (request: FastifyRequest) => Record<string, unknown> {
  const params = route.params && compileReader(route.params)
  const query = route.query && compileReader(route.query)
  const headers = route.headers && compileReader(route.headers)
  const body = route.body && bodyReader(route, compileReader(route.body), options.jsonDepthMax)
  return (request) => {
    const faults: Fault[] = []
    const call = {
      params: params?.(request.params, ['path'], faults),
      query: query?.(request.query, ['query'], faults),
      headers: headers?.(request.headers, ['header'], faults),
      body: body?.(request, faults),
    }
    if (faults.length > 0) throw new InvalidRequest(faults)
    return call
  }
}

/**
 * A body of several parameters is read as JSON whatever it is called; a body that is one object only when it is called JSON
 * (or nothing at all). An empty body is no body.
 */
function bodyReader(route: Route, read: Reader, depthMax: number): (request: FastifyRequest, faults: Fault[]) => unknown {
  const isParameters = (route.body as { 'x-parameters'?: boolean })['x-parameters'] === true
  return (request, faults) => {
    const text = (request.body as string | undefined) ?? ''
    const type = request.headers['content-type']
    const counts = isParameters || type === undefined || /^application\/(?:[\w.+-]+\+)?json/i.test(type)
    const sent = text.trim() === '' || !counts ? undefined : parse(text, depthMax)
    if (sent === undefined || (sent === null && isParameters)) {
      if (isParameters) return read({}, ['body'], faults)
      if (route.bodyOptional) return undefined
      faults.push({ loc: ['body'], type: 'missing', msg: 'Field required', input: null })
      return undefined
    }
    return read(sent, ['body'], faults)
  }
}

function parse(text: string, depthMax: number): unknown {
  try {
    return parseJson(text, depthMax)
  } catch (error) {
    if (error instanceof JsonSyntaxError) {
      throw new InvalidRequest([
        { loc: ['body', error.position], type: 'json_invalid', msg: 'JSON decode error', input: {}, ctx: { error: error.message } },
      ])
    }
    if (error instanceof JsonTooDeep) throw new InvalidRequest([{ loc: ['body'], type: 'json_too_deep', msg: error.message }])
    throw error
  }
}
