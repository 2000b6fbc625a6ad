import type { Received } from '@millrace/contracts/primitives.ts'
import type { TSchema } from 'typebox'
import type { Actor } from './actor.ts'

const scopeNouns = [
  'artifacts',
  'automations',
  'blocks',
  'concurrency_limits',
  'csrf_tokens',
  'deployments',
  'events',
  'flow_runs',
  'flows',
  'logs',
  'runs',
  'saved_searches',
  'server',
  'task_runs',
  'task_workers',
  'variables',
  'work_pools',
  'work_queues',
  'workers',
] as const

const scopeOperations = ['read', 'write', 'run', 'admin'] as const

/** The required permission: a noun and an operation. `public` needs no credentials and is only for health and readiness. */
export type Scope = 'public' | `${(typeof scopeNouns)[number]}:${(typeof scopeOperations)[number]}`

/** Whether a route reads only, whatever its method and its scope. */
export type RouteKind = 'query' | 'change'

export interface RouteDefinition<P extends TSchema = TSchema, Q extends TSchema = TSchema, H extends TSchema = TSchema, B extends TSchema = TSchema> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** With `:name` for parameters, without the `/api` prefix. */
  readonly path: string
  readonly tag: string
  readonly summary: string
  /** What the summary leaves open, as sentences of Markdown. */
  readonly description?: string
  readonly scope: Scope
  /** A query changes nothing, and its body holds filters. A change by GET is not accepted from pages of other origins, like any other change. */
  readonly kind: RouteKind
  /** A change that takes a body of parameters without a JSON type for an empty one if it is not JSON, as all queries do. */
  readonly ignoresUnreadableBody?: true
  readonly params?: P
  /** Answers 422 to an invalid id in the path; other routes answer 404, as existing clients expect (ADR 0007). */
  readonly rejectsInvalidIds?: true
  readonly query?: Q
  readonly headers?: H
  readonly body?: B
  /** Whether the whole body may be omitted although it is one object. */
  readonly bodyOptional?: boolean
  /** Returns an error message for the body as sent. It replaces all errors of single fields. */
  readonly checkRawBody?: (sent: Readonly<Record<string, unknown>>) => string | undefined | Promise<string | undefined>
  /** Rejects valid fields for other reasons. These errors are reported together with those of invalid fields, which are undefined here. */
  readonly validateBody?: (body: Received<B>) => void
  /** All success responses. The first is the default of the handler. Null: no body. */
  readonly responses: Readonly<Record<number, TSchema | null>>
  /** Statuses of errors that are not common to operations of this shape, for the document. */
  readonly errors?: readonly (410 | 423)[]
}

export interface RouteRequest<P, Q, H, B> {
  readonly params: P
  readonly query: Q
  readonly headers: H
  readonly body: B
  /** Who sends the request. */
  readonly actor: Actor
  /** The URL that the client used, for links in responses. */
  readonly url: string
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal
}

/** A response with a status other than the default. */
export class RouteResponse {
  readonly status: number
  readonly body: unknown
  readonly headers: Readonly<Record<string, string>>

  constructor(status: number, body?: unknown, headers: Readonly<Record<string, string>> = {}) {
    this.status = status
    this.body = body
    this.headers = headers
  }
}

/** A response that is not JSON or too long for memory: a text, or its chunks. */
export class Download {
  readonly type: string
  readonly content: string | AsyncIterable<string | Uint8Array>
  readonly filename: string | undefined

  constructor(type: string, content: string | AsyncIterable<string | Uint8Array>, filename?: string) {
    this.type = type
    this.content = content
    this.filename = filename
  }
}

export interface Route extends RouteDefinition {
  readonly handle: (call: RouteRequest<never, never, never, never>) => unknown
}

type Read<S> = S extends TSchema ? Received<S> : undefined

/** Defines a route: its schema and a short handler. Domain logic belongs in an operation file. */
export function route<P extends TSchema, Q extends TSchema, H extends TSchema, B extends TSchema>(
  shape: RouteDefinition<P, Q, H, B>,
  handle: (call: RouteRequest<Read<P>, Read<Q>, Read<H>, Read<B>>) => unknown,
): Route {
  return { ...(shape as RouteDefinition), handle: handle as Route['handle'] }
}
