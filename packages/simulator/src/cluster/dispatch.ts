import { copyWorkerNameHeader, setLeaseModeHeader, setPreferWaitHeader } from '@millrace/server/compat/client-headers.ts'
import { ApiError, type Fault, InvalidRequest } from '@millrace/server/errors.ts'
import { compileReader } from '@millrace/server/http/compile-reader.ts'
import { queryReader } from '@millrace/server/http/read-query.ts'
import { anonymous } from '@millrace/server/lib/actor.ts'
import { type Route, RouteResponse } from '@millrace/server/lib/route.ts'
import { serializeResponse } from '@millrace/server/lib/serialize-response.ts'

type Json = Record<string, unknown>

export interface Request {
  readonly method: Route['method']
  /** The path of the route, with `:name` for parameters. */
  readonly path: string
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Json
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
}

export interface Response {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: the workload knows the shape of each response
  readonly body: any
}

/**
 * Calls the handlers of routes as the HTTP server does: reads all parts by their schemas, sets the headers of existing clients, serializes the response and
 * maps errors. Sockets and Fastify are left out, because a start of Fastify with all routes takes as long as a whole seed.
 */
export function createDispatcher(routes: readonly Route[], isUnavailable: (error: unknown) => boolean) {
  const byKey = new Map(routes.map((route) => [`${route.method} ${route.path}`, route]))
  return async (request: Request, signal: AbortSignal): Promise<Response> => {
    const route = byKey.get(`${request.method} ${request.path}`)
    if (!route) throw new Error(`No route for ${request.method} ${request.path}`)
    try {
      const result = await route.handle({ ...(await readParts(route, request)), url: 'http://simulation/', actor: anonymous, signal } as never)
      const { status, body } = result instanceof RouteResponse ? result : new RouteResponse(Number(Object.keys(route.responses)[0]), result)
      return { status, body: status === 204 ? null : await parseBody(body ?? null) }
    } catch (error) {
      return answerError(error, isUnavailable)
    }
  }
}

async function readParts(route: Route, request: Request): Promise<Json> {
  const faults: Fault[] = []
  const headers = { ...request.headers }
  setPreferWaitHeader(headers)
  setLeaseModeHeader(headers)
  copyWorkerNameHeader(headers)
  const sent = request.body === undefined ? undefined : (JSON.parse(JSON.stringify(request.body)) as Json)
  const problem = sent && !Array.isArray(sent) ? await route.checkRawBody?.(sent) : undefined
  if (problem !== undefined) faults.push({ loc: ['body'], type: 'value_error', msg: problem })
  const isParameters = (route.body as { 'x-parameters'?: boolean } | undefined)?.['x-parameters'] === true
  const parts = {
    params: route.params && compileReader(route.params)(request.params ?? {}, ['path'], faults),
    query: route.query && queryReader(route.query)((request.query ?? {}) as never, ['query'], faults),
    headers: route.headers && compileReader(route.headers)(headers, ['header'], faults),
    body: route.body && (sent !== undefined || isParameters ? compileReader(route.body)(sent ?? {}, ['body'], faults) : undefined),
  }
  if (faults.length === 0 && parts.body !== undefined) route.validateBody?.(parts.body as never)
  if (faults.length > 0) throw new InvalidRequest(faults)
  return parts
}

async function parseBody(body: unknown): Promise<unknown> {
  const written = serializeResponse(body)
  if (typeof written === 'string') return JSON.parse(written)
  let text = ''
  for await (const chunk of written) text += chunk
  return JSON.parse(text)
}

function answerError(error: unknown, isUnavailable: (error: unknown) => boolean): Response {
  if (error instanceof InvalidRequest) return { status: error.status, body: { faults: error.faults } }
  if (error instanceof ApiError) return { status: error.status, body: { code: error.code, message: error.message } }
  if (isUnavailable(error)) return { status: 503, body: { code: 'UNAVAILABLE', message: String(error) } }
  return { status: 500, body: { message: error instanceof Error ? error.stack : String(error) } }
}
