import type { Duplex } from 'node:stream'
import type { WebSocket } from 'ws'
import { closeCodes } from '../lib/socket.ts'
import { afterSeconds } from '../lib/time.ts'
import { type ByteBudget, smallBytes } from './byte-budget.ts'

/** How long a client may take to hear why its connection ends. */
const closeGraceSeconds = 1

/**
 * Watches what a connection brings of a message that is not complete yet. The websocket library shows whole messages only and holds their parts itself,
 * so the bytes are counted on the stream below it.
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
    // The library's own listener comes first: a message that ends with this chunk was emitted already.
    stream.on('data', (chunk: Buffer) => this.#receive(chunk.length))
    socket.on('message', () => this.#reset())
    socket.on('close', () => this.#reset())
  }

  /** From now on messages may be as large as the library allows. */
  allowLarge(): void {
    this.#bytesMax = Number.POSITIVE_INFINITY
  }

  #receive(bytes: number): void {
    this.#bytes += bytes
    if (this.#bytes > this.#bytesMax) this.#refuse(closeCodes.tooLarge, `The first message may have ${this.#bytesMax} bytes at most`)
    else if (this.#bytes <= smallBytes) return
    else if (this.#budget.tryAcquire(bytes, this.#bytes)) this.#held += bytes
    else this.#refuse(closeCodes.tryLater, 'Too many large messages are held at once; try again in a moment')
  }

  #reset(): void {
    this.#bytes = 0
    this.#budget.release(this.#held)
    this.#held = 0
  }

  /** Nothing more is read: after `close` the library would go on to collect the message. */
  #refuse(code: number, reason: string): void {
    this.#socket.pause()
    this.#socket.close(code, reason)
    afterSeconds(closeGraceSeconds, () => this.#socket.terminate())
  }
}
