import type { Received } from '@millrace/contracts/primitives.ts'
import type { TSchema } from 'typebox'
import type { Actor } from './actor.ts'
import type { RouteKind, Scope } from './route.ts'

/** A WebSocket route, independent of the WebSocket library. */
export interface SocketRoute {
  /** With `:name` for parameters, without the `/api` prefix. */
  readonly path: string
  /** For the reference of the API, as is the description: the messages of both sides. */
  readonly summary: string
  readonly description: string
  readonly scope: Scope
  /** A query only reads; a change may write. */
  readonly kind: RouteKind
  /** Whether the handshake is required even on a server without credentials. */
  readonly requiresHandshake?: boolean
  /** The close reason for wrong credentials, for clients that compare it. */
  readonly unauthenticatedReason?: string
  /** Resolves at the end of the conversation. An error closes the connection. */
  serve(peer: Peer, params: Readonly<Record<string, string>>): Promise<void>
}

/** The client of an authenticated connection. */
export interface Peer {
  readonly actor: Actor
  /** The next message; undefined once the connection is closed. */
  next(): Promise<string | undefined>
  /** Sends a text, or bytes encoded once for many clients. Does nothing once the connection is closed. */
  send(message: string | Uint8Array): void
  /** Bytes in the send buffer. */
  readonly bufferedBytes: number
  /** Resolves when the send buffer is empty or the connection is closed. */
  drained(): Promise<void>
  /** Delays the pong until the work is done: clients use a ping to confirm that their messages were processed. */
  holdPongUntil(work: Promise<unknown>): void
  close(code: number, reason: string): void
  /** Aborted when the connection is closed. */
  readonly signal: AbortSignal
  /** Parses a message as JSON within the limits of request bodies, a large one in slices. Throws the errors of `parseReceivedJson`. */
  parse(message: string): Promise<unknown>
  /** Validates a value by a schema of the contracts. */
  read<S extends TSchema>(schema: S, value: unknown): ReadResult<Received<S>>
  warn(facts: object, message: string): void
}

export type ReadResult<T> = { readonly value: T } | { readonly refusal: string }

/** WebSocket close codes other than a normal closure. */
export const closeCodes = {
  protocolError: 1002,
  notText: 1007,
  policy: 1008,
  tooLarge: 1009,
  serverError: 1011,
  restart: 1012,
  tryLater: 1013,
} as const

/** Closes the connection with a code and a reason. */
export class SocketRejection extends Error {
  readonly code: number

  constructor(code: number, reason: string) {
    super(reason)
    this.code = code
  }
}
