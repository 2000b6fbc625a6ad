import type { Duplex } from 'node:stream'
import type { WebSocket } from 'ws'
import { closeCodes } from '../lib/socket.ts'
import { afterSeconds } from '../lib/time.ts'
import { type ByteBudget, smallBytes } from './byte-budget.ts'

/** Time for the client to receive the close frame before the connection is terminated. */
const closeGraceSeconds = 1

/**
 * Limits the size of a message while it is received. The WebSocket library buffers fragments and only emits complete messages, so the bytes are
 * counted on the stream below it.
 */
export class MessageSizeLimiter {
  readonly #socket: WebSocket
  readonly #budget: ByteBudget
  #bytesMax: number
  #bytes = 0
  #held = 0

  constructor(socket: WebSocket, stream: Duplex, budget: ByteBudget, bytesMax: number) {
    this.#socket = socket
    this.#budget = budget
    this.#bytesMax = bytesMax
    // The listener of the library runs first: a message that ends with this chunk is already emitted.
    stream.on('data', (chunk: Buffer) => this.#receive(chunk.length))
    socket.on('message', () => this.#reset())
    socket.on('close', () => this.#reset())
  }

  /** Lifts the limit of this class; the limit of the library remains. */
  allowLarge(): void {
    this.#bytesMax = Number.POSITIVE_INFINITY
  }

  #receive(bytes: number): void {
    this.#bytes += bytes
    if (this.#bytes > this.#bytesMax) this.#reject(closeCodes.tooLarge, `The first message can have at most ${this.#bytesMax} bytes`)
    else if (this.#bytes <= smallBytes) return
    else if (this.#budget.tryAcquire(bytes, this.#bytes)) this.#held += bytes
    else this.#reject(closeCodes.tryLater, 'Message memory is full. Try again.')
  }

  #reset(): void {
    this.#bytes = 0
    this.#budget.release(this.#held)
    this.#held = 0
  }

  /** Pauses the socket first: after `close` the library would go on buffering the message. */
  #reject(code: number, reason: string): void {
    this.#socket.pause()
    this.#socket.close(code, reason)
    afterSeconds(closeGraceSeconds, () => this.#socket.terminate())
  }
}
