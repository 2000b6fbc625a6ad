import type { Received } from '@millrace/contracts/primitives.ts'
import type { TSchema } from 'typebox'
import type { RawData, WebSocket } from 'ws'
import type { Fault } from '../errors.ts'
import { anonymous } from '../lib/actor.ts'
import { parseReceivedJson } from '../lib/parse-large-json.ts'
import { closeCodes, type Peer, type ReadResult } from '../lib/socket.ts'
import { compileReader, type Reader } from './compile-reader.ts'
import type { JsonOptions } from './read-body.ts'
import type { SendBudget } from './send-budget.ts'

/** Maximum number of unread messages, and of their characters. Above it the socket is paused, so that only the sender waits. */
const unreadMax = 256
const unreadCharactersMax = 1024 * 1024

/** Maximum number of bytes that wait to be sent to one peer. A slower peer is disconnected, so that its backlog does not fill the memory. */
const bufferedBytesMax = 4 * 1024 * 1024

/** Maximum size of the reason in a close frame. */
const reasonBytesMax = 123

export interface PeerLog {
  warn(facts: object, message: string): void
}

/** The side of a WebSocket that the routes use. */
export class WebSocketPeer implements Peer {
  /** Set by the handshake. */
  actor = anonymous
  readonly #socket: WebSocket
  readonly #log: PeerLog
  readonly #json: JsonOptions
  readonly #ended = new AbortController()
  /** Pings are queued with messages: a pong confirms that all messages before it are handled. */
  #unread: (string | { readonly ping: Buffer })[] = []
  #unreadLength = 0
  /** Values that the current message holds of the budget, if it is large. */
  #values = 0
  #resolveNext: ((message: string | undefined) => void) | undefined
  #drained: (() => void)[] = []
  #pendingWork: Promise<unknown> = Promise.resolve()
  #paused = false
  readonly #sendBudget: SendBudget
  /** Bytes in the buffer when the budget was last updated. */
  #counted = 0

  constructor(socket: WebSocket, log: PeerLog, json: JsonOptions, sendBudget: SendBudget) {
    this.#sendBudget = sendBudget
    this.#socket = socket
    this.#log = log
    this.#json = json
    socket.on('message', (data) => this.#enqueue(textOf(data)))
    socket.on('ping', (data) => this.#enqueue({ ping: data }))
    socket.on('close', () => this.#end())
    // A `close` event with the reason follows.
    socket.on('error', () => {})
  }

  get signal(): AbortSignal {
    return this.#ended.signal
  }

  get bufferedBytes(): number {
    return this.#socket.bufferedAmount
  }

  next(): Promise<string | undefined> {
    this.#releaseValues()
    while (this.#unread.length > 0) {
      const first = this.#unread.shift() as string | { ping: Buffer }
      if (typeof first === 'string') this.#unreadLength -= first.length
      if (this.#paused && this.#unread.length < unreadMax / 2 && this.#unreadLength <= unreadCharactersMax / 2) this.#resume()
      if (typeof first === 'string') return Promise.resolve(first)
      this.#pong(first.ping)
    }
    if (this.signal.aborted) return Promise.resolve(undefined)
    return new Promise((resolve) => {
      this.#resolveNext = resolve
    })
  }

  send(message: string | Uint8Array): void {
    if (this.signal.aborted) return
    this.#socket.send(message, { binary: false }, this.#sent)
    this.#count(this.bufferedBytes)
    if (this.bufferedBytes > bufferedBytesMax || this.#sendBudget.isExceededBy(this.bufferedBytes))
      this.close(closeCodes.tryLater, 'Messages were not read fast enough')
  }

  drained(): Promise<void> {
    if (this.bufferedBytes === 0 || this.signal.aborted) return Promise.resolve()
    return new Promise((resolve) => this.#drained.push(resolve))
  }

  holdPongUntil(work: Promise<unknown>): void {
    this.#pendingWork = Promise.all([this.#pendingWork, work])
    // The caller handles the failure; here it only means that no pong is sent.
    this.#pendingWork.catch(() => {})
  }

  close(code: number, reason: string): void {
    if (this.signal.aborted) return
    this.#socket.close(code, truncateReason(reason))
    this.#end()
  }

  async parse(message: string): Promise<unknown> {
    return parseReceivedJson(message, this.#json.json, this.#json.slices, async (values) => {
      await this.#json.valueBudget.acquire(values)
      this.#values += values
      // The connection may have closed in the meantime.
      if (this.signal.aborted) this.#releaseValues()
    })
  }

  read<S extends TSchema>(schema: S, value: unknown): ReadResult<Received<S>> {
    const faults: Fault[] = []
    const made = readerOf(schema)(value, [], faults)
    if (faults.length === 0) return { value: made as Received<S> }
    return { refusal: faults.map(({ loc, msg }) => `${loc.join('.')}: ${msg}`).join('; ') }
  }

  warn(facts: object, message: string): void {
    this.#log.warn(facts, message)
  }

  #enqueue(message: string | { readonly ping: Buffer }): void {
    const resolveNext = this.#resolveNext
    // While nothing waits for a message, the previous one may still be in progress, so that pings are queued.
    if (resolveNext && typeof message !== 'string') {
      this.#pong(message.ping)
      return
    }
    if (resolveNext && typeof message === 'string') {
      this.#resolveNext = undefined
      resolveNext(message)
      return
    }
    this.#unread.push(message)
    if (typeof message === 'string') this.#unreadLength += message.length
    if ((this.#unread.length >= unreadMax || this.#unreadLength > unreadCharactersMax) && !this.#paused) this.#pause()
  }

  #releaseValues(): void {
    if (this.#values === 0) return
    this.#json.valueBudget.release(this.#values)
    this.#values = 0
  }

  #pause(): void {
    this.#paused = true
    this.#socket.pause()
  }

  #resume(): void {
    this.#paused = false
    this.#socket.resume()
  }

  #pong(ping: Buffer): void {
    this.#pendingWork.then(
      () => this.#socket.readyState === this.#socket.OPEN && this.#socket.pong(ping),
      () => {},
    )
  }

  #count(buffered: number): void {
    this.#sendBudget.update(this.#counted, buffered)
    this.#counted = buffered
  }

  readonly #sent = (): void => {
    if (!this.signal.aborted) this.#count(this.bufferedBytes)
    if (this.bufferedBytes > 0) return
    for (const done of this.#drained.splice(0)) done()
  }

  #end(): void {
    this.#ended.abort()
    this.#count(0)
    this.#releaseValues()
    this.#resolveNext?.(undefined)
    this.#resolveNext = undefined
    for (const done of this.#drained.splice(0)) done()
  }
}

const textOf = (data: RawData): string =>
  (Array.isArray(data) ? Buffer.concat(data) : Buffer.isBuffer(data) ? data : Buffer.from(data)).toString('utf8')

function truncateReason(reason: string): string {
  if (Buffer.byteLength(reason) <= reasonBytesMax) return reason
  let cut = reason.slice(0, reasonBytesMax - 3)
  while (Buffer.byteLength(cut) > reasonBytesMax - 3) cut = cut.slice(0, -1)
  return `${cut.toWellFormed()}…`
}

const readers = new WeakMap<TSchema, Reader>()

function readerOf(schema: TSchema): Reader {
  const reader = readers.get(schema) ?? compileReader(schema)
  readers.set(schema, reader)
  return reader
}
