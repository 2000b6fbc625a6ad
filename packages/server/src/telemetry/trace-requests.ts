import type { FastifyInstance, FastifyRequest } from 'fastify'
import { parseTraceparent, type Span } from './span.ts'
import type { Tracer } from './tracer.ts'

const serverError = 500

/** Creates a span for each request, as a child of the client's span if the request has a `traceparent` header. */
export class RequestTracer {
  readonly #tracer: Tracer
  readonly #spans = new WeakMap<FastifyRequest, Span>()

  constructor(tracer: Tracer) {
    this.#tracer = tracer
  }

  addHooks(app: FastifyInstance): void {
    app.addHook('onRequest', (request, _reply, done) => {
      const { method, routeOptions } = request
      const span = this.#tracer.start(`${method} ${routeOptions.url ?? ''}`.trim(), {
        kind: 'server',
        parent: parseTraceparent(request.headers.traceparent) ?? null,
        attributes: { 'http.request.method': method, 'url.path': request.url.split('?')[0] as string, 'millrace.request_id': request.id },
      })
      if (routeOptions.url !== undefined) span.attributes['http.route'] = routeOptions.url
      addRunIds(span, request)
      this.#spans.set(request, span)
      request.log = request.log.child({ trace_id: span.traceId, span_id: span.spanId })
      done()
    })
    app.addHook('onResponse', (request, reply, done) => {
      const span = this.#spans.get(request)
      if (span) {
        span.attributes['http.response.status_code'] = reply.statusCode
        this.#tracer.end(span, reply.statusCode >= serverError ? `status ${reply.statusCode}` : undefined)
      }
      done()
    })
  }

  /** Runs the handler of a route so that its reads and writes are children of the request. */
  run<R>(request: FastifyRequest, handle: () => R): R {
    const span = this.#spans.get(request)
    return span ? this.#tracer.run(span, handle) : handle()
  }
}

/** Lets users find the requests of a run. */
function addRunIds(span: Span, request: FastifyRequest): void {
  const { id } = request.params as { id?: string }
  const kind = /^\/(flow_runs|task_runs)\/:id/.exec(request.routeOptions.url ?? '')?.[1]
  if (kind && id) span.attributes[kind === 'flow_runs' ? 'millrace.flow_run.id' : 'millrace.task_run.id'] = id
}
