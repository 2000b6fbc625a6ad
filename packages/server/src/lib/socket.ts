import type { Received } from '@millrace/contracts/primitives.ts'
import type { TSchema } from 'typebox'
import type { Scope } from './route.ts'

/** A path that clients hold a websocket to. What is behind it knows nothing of sockets but this. */
export interface SocketRoute {
  /** With `:name` for parameters, without `/api`. */
  readonly path: string
  readonly scope: Scope
  /** Whether even a server that asks for no credentials insists on the exchange of them. */
  readonly requiresHandshake?: boolean
  /** What is said at the end of a connection whose credentials are wrong, where clients look for certain words. */
  readonly unauthenticatedReason?: string
  /** Ends with the conversation; what it throws ends the connection. */
  serve(peer: Peer, params: Readonly<Record<string, string>>): Promise<void>
}

/** The other end of a connection that has been let in. */
export interface Peer {
  /** The next message; undefined once the connection is over. */
  next(): Promise<string | undefined>
  /** A text, or one that was encoded already because many get it. Nothing happens once the connection is over. */
  send(message: string | Uint8Array): void
  /** Bytes that wait to be sent. */
  readonly bufferedBytes: number
  /** Resolves when nothing waits to be sent any more, or the connection is over. */
  drained(): Promise<void>
  /** Until this is done, the client is not told that what it sent so far has arrived: a ping is how it asks. */
  holdPongUntil(work: Promise<unknown>): void
  close(code: number, reason: string): void
  /** Ends with the connection. */
  readonly signal: AbortSignal
  /** Parses a message as JSON, within the limits that bodies of requests have; a large one in slices. Throws what `parseReceivedJson` does. */
  parse(message: string): Promise<unknown>
  /** Reads a value by a schema of the contracts. */
  read<S extends TSchema>(schema: S, value: unknown): ReadResult<Received<S>>
  warn(facts: object, message: string): void
}

export type ReadResult<T> = { readonly value: T } | { readonly refusal: string }

/** The codes by which connections end that are not simply over. */
export const closeCodes = {
  goingAway: 1001,
  protocolError: 1002,
  notText: 1007,
  policy: 1008,
  tooLarge: 1009,
  serverError: 1011,
  restart: 1012,
  tryLater: 1013,
} as const

/** Ends the connection with a code and a reason. */
export class SocketRejection extends Error {
  readonly code: number

  constructor(code: number, reason: string) {
    super(reason)
    this.code = code
  }
}
