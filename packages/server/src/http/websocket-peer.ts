import type { Received } from '@millrace/contracts/primitives.ts'
import type { TSchema } from 'typebox'
import type { RawData, WebSocket } from 'ws'
import type { Fault } from '../errors.ts'
import { parseReceivedJson } from '../lib/parse-large-json.ts'
import { closeCodes, type Peer, type ReadResult } from '../lib/socket.ts'
import { compileReader, type Reader } from './compile-reader.ts'
import type { JsonOptions } from './read-body.ts'

/** Messages that were read and not yet asked for, and their characters; more stay in the network, where they hold up nobody but their sender. */
const unreadMax = 256
const unreadCharactersMax = 1024 * 1024

/** What may wait to be sent to one peer. Whoever reads more slowly than that is let go: others must not pay for it. */
const bufferedBytesMax = 4 * 1024 * 1024

/** A close frame has room for so many bytes of reason. */
const reasonBytesMax = 123

export interface PeerLog {
  warn(facts: object, message: string): void
}

/** A websocket as the rooms behind it see it. */
export class WebSocketPeer implements Peer {
  readonly #socket: WebSocket
  readonly #log: PeerLog
  readonly #json: JsonOptions
  readonly #ended = new AbortController()
  /** Pings stand in line with messages: they are answered when what came before them is done. */
  #unread: (string | { readonly ping: Buffer })[] = []
  #unreadLength = 0
  /** Values of the message that is being handled, when it is a large one. */
  #values = 0
  #resolveNext: ((message: string | undefined) => void) | undefined
  #drained: (() => void)[] = []
  #pendingWork: Promise<unknown> = Promise.resolve()
  #paused = false

  constructor(socket: WebSocket, log: PeerLog, json: JsonOptions) {
    this.#socket = socket
    this.#log = log
    this.#json = json
    socket.on('message', (data) => this.#enqueue(textOf(data)))
    socket.on('ping', (data) => this.#enqueue({ ping: data }))
    socket.on('close', () => this.#end())
    // What went wrong is told by the closing that follows.
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
      if (this.#paused && this.#unread.length < unreadMax / 2 && this.#unreadLength <= unreadCharactersMax / 2) this.#read(true)
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
    if (this.bufferedBytes > bufferedBytesMax) this.close(closeCodes.tryLater, 'Messages were not read fast enough')
  }

  drained(): Promise<void> {
    if (this.bufferedBytes === 0 || this.signal.aborted) return Promise.resolve()
    return new Promise((resolve) => this.#drained.push(resolve))
  }

  holdPongUntil(work: Promise<unknown>): void {
    this.#pendingWork = Promise.all([this.#pendingWork, work])
    // Whoever did the work knows what to do when it fails; here it only means that nothing is confirmed.
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
      // The connection may have ended while it waited.
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
    const wanted = this.#resolveNext
    // Whoever does not wait for a message may still be at work on the last one.
    if (wanted && typeof message !== 'string') {
      this.#pong(message.ping)
      return
    }
    if (wanted && typeof message === 'string') {
      this.#resolveNext = undefined
      wanted(message)
      return
    }
    this.#unread.push(message)
    if (typeof message === 'string') this.#unreadLength += message.length
    if ((this.#unread.length >= unreadMax || this.#unreadLength > unreadCharactersMax) && !this.#paused) this.#read(false)
  }

  #releaseValues(): void {
    if (this.#values === 0) return
    this.#json.valueBudget.release(this.#values)
    this.#values = 0
  }

  #read(on: boolean): void {
    this.#paused = !on
    if (on) this.#socket.resume()
    else this.#socket.pause()
  }

  #pong(ping: Buffer): void {
    this.#pendingWork.then(
      () => this.#socket.readyState === this.#socket.OPEN && this.#socket.pong(ping),
      () => {},
    )
  }

  readonly #sent = (): void => {
    if (this.bufferedBytes > 0) return
    for (const done of this.#drained.splice(0)) done()
  }

  #end(): void {
    this.#ended.abort()
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
  const known = readers.get(schema) ?? compileReader(schema)
  readers.set(schema, known)
  return known
}
