import type { FastifyReply } from 'fastify'
import { onResponseEnd } from './response-end.ts'

/**
 * Limits the memory of large responses that are not sent yet. A connection has one response at a time (pipelined-requests.ts), but thousands of connections
 * could request large pages and not read them. Above the limit the connections that have taken longest to read their response are closed: a new
 * request that is refused instead would let a few slow readers lock out all others. The newest response is always sent, whatever its size.
 */
export class UnsentResponses {
  readonly #bytesMax: number
  /** Bytes by response, oldest first. */
  readonly #held = new Map<FastifyReply, number>()
  #used = 0

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax
  }

  get usedBytes(): number {
    return this.#used
  }

  /** Counts the bytes of a response until it is sent. */
  add(reply: FastifyReply, bytes: number): void {
    this.#held.set(reply, bytes)
    this.#used += bytes
    onResponseEnd(reply, () => this.#forget(reply))
    for (const oldest of this.#held.keys()) {
      if (this.#used <= this.#bytesMax || oldest === reply) return
      this.#forget(oldest)
      oldest.raw.destroy()
    }
  }

  #forget(reply: FastifyReply): void {
    const bytes = this.#held.get(reply)
    if (bytes === undefined) return
    this.#held.delete(reply)
    this.#used -= bytes
  }
}
