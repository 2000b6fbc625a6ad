import type { Received } from '@millrace/contracts/primitives.ts'
import type { TSchema } from 'typebox'

/** Who may call: the noun and what is done to it. `public` is for what needs no credentials: health and readiness alone. */
export type Scope = 'public' | `${string}:${'read' | 'write' | 'run' | 'admin'}`

export interface RouteDefinition<P extends TSchema = TSchema, Q extends TSchema = TSchema, H extends TSchema = TSchema, B extends TSchema = TSchema> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** With `:name` for parameters, without `/api`. */
  readonly path: string
  readonly tag: string
  readonly summary: string
  readonly scope: Scope
  readonly params?: P
  /** An id in the path that is no UUID is a 422 here; elsewhere it is a 404, as existing clients know it (ADR 0007). */
  readonly rejectsInvalidIds?: true
  /** A GET that writes. Pages of other origins may not send it, as they may not send any other change. */
  readonly hasSideEffects?: true
  readonly query?: Q
  readonly headers?: H
  readonly body?: B
  /** May the whole body be left out although it is one object? */
  readonly bodyOptional?: boolean
  /** What is wrong with the body as a whole, as it was sent, in a sentence: nothing else is told then, whatever its fields are. */
  readonly checkRawBody?: (sent: Readonly<Record<string, unknown>>) => string | undefined | Promise<string | undefined>
  /** Refuses what could be read, which is told together with what could not: that is undefined here, whatever its type. */
  readonly validateBody?: (body: Received<B>) => void
  /** Every success; the first is what a handler answers with unless it says otherwise. Null: no body. */
  readonly responses: Readonly<Record<number, TSchema | null>>
}

export interface RouteRequest<P, Q, H, B> {
  readonly params: P
  readonly query: Q
  readonly headers: H
  readonly body: B
  /** The address the client reached us by, for links in answers. */
  readonly url: string
  /** Ends when the client hangs up. */
  readonly signal: AbortSignal
}

/** A handler's answer with a status of its own choice. */
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

/** An answer that is not JSON, or is too long to hold: text, or pieces of it as they are read. */
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

/** A route is its shape and one handler: schema, then a few lines. If a handler grows an `if` about the domain, a verb file is missing. */
export function route<P extends TSchema, Q extends TSchema, H extends TSchema, B extends TSchema>(
  shape: RouteDefinition<P, Q, H, B>,
  handle: (call: RouteRequest<Read<P>, Read<Q>, Read<H>, Read<B>>) => unknown,
): Route {
  return { ...(shape as RouteDefinition), handle: handle as Route['handle'] }
}
