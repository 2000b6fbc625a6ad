import type { CallOptions, HttpClient } from '../http.ts'
import { backoffSeconds, isTemporary, sleep } from '../retry.ts'
import { webSocketClass } from '../web-socket.ts'
import { Connection, type Ending, type Frame, type SocketPath } from './connection.ts'
import { ResumePoint, type StoredItem } from './resume-point.ts'

export interface SubscriptionOptions {
  /** Ends the subscription: the iteration rejects with the reason of the signal. */
  readonly signal?: AbortSignal | undefined
  /** Reads the items that were stored while there was no connection. Default: true. Without it the subscription continues with new items. */
  readonly resume?: boolean
  /** Number of items that may wait for the consumer. At this number the connection is closed; it is opened again when all are consumed. Default: 5000. */
  readonly bufferMax?: number
  /** Delay before the first attempt to reconnect. Doubles up to 30 seconds. Default: 1. */
  readonly reconnectDelaySeconds?: number
  /** Called when the server has accepted the connection. */
  onConnect?(): void
  /** Called when the connection is lost or could not be opened, before each attempt to reconnect. */
  onDisconnect?(): void
}

/** Where the items of a subscription come from. */
export interface SubscriptionSource<T> {
  readonly path: SocketPath
  /** The time from which the consumer wants past items; only new items without it. */
  readonly start: string | undefined
  /** The first frame of a connection. The first connection may request recent items, if the socket sends any. */
  filterFrame(withRecent: boolean): object
  itemOf(frame: Frame): T | undefined
  describe(item: T): StoredItem
  /** All stored items since a time, oldest first. */
  readSince(since: string, options: CallOptions): AsyncIterable<T>
  /** The newest stored item. */
  readNewest(options: CallOptions): Promise<T | undefined>
}

const defaultBufferMax = 5000
const reconnectSecondsMax = 30
/** A connection that lasted this long was good: the next delay is short again. */
const stableSeconds = 30
const idleSecondsMax = 300
/** The server does not confirm the filter. A search this long after it finds what was stored before the server applied it. */
const filterSeconds = 0.25
/** The first search for new items covers the time until the first connection. */
const firstSearchSeconds = 10

const lostConnection: Ending = { code: 1006, isDeliberate: false }

/** Close codes of a server that is there and did not like the request: protocol, data, policy (credentials), size. */
const rejectionCodes = new Set([1002, 1003, 1007, 1008, 1009])

/**
 * Items of a socket of the server, as they are stored. Connects at once and reconnects when the connection is lost. End it with `break`, `return()` or the
 * signal.
 */
export class Subscription<T> implements AsyncIterableIterator<T, void, undefined> {
  readonly #stop = new AbortController()
  readonly #items: AsyncGenerator<T, void, undefined>
  #first: Promise<IteratorResult<T, void>> | undefined
  #isReturned = false

  constructor(http: HttpClient, source: SubscriptionSource<T>, options: SubscriptionOptions = {}) {
    // Throws now, where the caller sees it.
    webSocketClass(http.options.WebSocket)
    this.#items = receive(http, source, options, this.#stop)
    // Starts to connect: what is stored from now on belongs to the subscription.
    this.#first = this.#items.next()
    // The consumer sees the error with its first `next()`.
    this.#first.catch(() => {})
  }

  async next(): Promise<IteratorResult<T, void>> {
    const first = this.#first
    this.#first = undefined
    try {
      return await (first ?? this.#items.next())
    } catch (error) {
      if (this.#isReturned) return { done: true, value: undefined }
      throw error
    }
  }

  async return(): Promise<IteratorResult<T, void>> {
    this.#isReturned = true
    this.#first = undefined
    this.#stop.abort()
    await this.#items.return().catch(() => {})
    return { done: true, value: undefined }
  }

  [Symbol.asyncIterator](): this {
    return this
  }
}

async function* receive<T>(
  http: HttpClient,
  source: SubscriptionSource<T>,
  options: SubscriptionOptions,
  stop: AbortController,
): AsyncGenerator<T, void, undefined> {
  const { resume = true, bufferMax = defaultBufferMax, reconnectDelaySeconds = 1 } = options
  const { signal } = stop
  const onAbort = () => stop.abort(options.signal?.reason)
  if (options.signal?.aborted) onAbort()
  options.signal?.addEventListener('abort', onAbort, { once: true })
  const point = new ResumePoint(source.start)
  let connection: Connection<T> | undefined
  const closeConnection = () => connection?.close()
  signal.addEventListener('abort', closeConnection)
  try {
    if (resume) {
      // Also finds out whether the server accepts the credentials and the filter.
      const newest = await source.readNewest({ signal })
      if (source.start === undefined) point.skipExisting(newest && source.describe(newest), firstSearchSeconds)
    }
    for (let failures = 0, isFirst = true; ; isFirst = false) {
      signal.throwIfAborted()
      connection = new Connection(http, {
        path: source.path,
        filterFrame: source.filterFrame(isFirst && !resume),
        itemOf: source.itemOf,
        bufferMax,
        idleSecondsMax: resume ? idleSecondsMax : Number.POSITIVE_INFINITY,
      })
      const isReady = await connection.ready()
      signal.throwIfAborted()
      const readyAt = Date.now()
      if (isReady) options.onConnect?.()
      // Without a connection too: some proxies do not pass sockets.
      const isComplete = !resume || (yield* readMissed(source, point, isReady, signal))
      if (!isComplete) connection.close()
      // The items of an incomplete search come first: those that wait in the connection are read again with the next search.
      const ending = isComplete ? yield* readItems(connection, (item) => !resume || point.accept(source.describe(item)), signal) : lostConnection
      options.onDisconnect?.()
      if (rejectionCodes.has(ending.code)) await throwRejection(source, signal)
      failures = isReady && Date.now() - readyAt > stableSeconds * 1000 ? 1 : failures + 1
      if (!ending.isDeliberate) await waitForNetwork(backoffSeconds(failures - 1, reconnectDelaySeconds, reconnectSecondsMax), signal)
    }
  } finally {
    connection?.close()
    signal.removeEventListener('abort', closeConnection)
    options.signal?.removeEventListener('abort', onAbort)
  }
}

/** Yields what was stored since the last item. Returns false if the server could not be reached. */
async function* readMissed<T>(
  source: SubscriptionSource<T>,
  point: ResumePoint,
  isConnected: boolean,
  signal: AbortSignal,
): AsyncGenerator<T, boolean, undefined> {
  if (isConnected) await sleep(filterSeconds, signal)
  try {
    for await (const item of source.readSince(point.openSearch(), { signal, retries: 0 })) if (point.acceptFound(source.describe(item))) yield item
    point.closeSearch()
    return true
  } catch (error) {
    signal.throwIfAborted()
    if (isTemporary(error)) return false
    throw error
  }
}

async function* readItems<T>(connection: Connection<T>, accept: (item: T) => boolean, signal: AbortSignal): AsyncGenerator<T, Ending, undefined> {
  for (;;) {
    const next = await connection.next()
    signal.throwIfAborted()
    if (!('item' in next)) return next
    if (accept(next.item)) yield next.item
  }
}

/** A socket has close codes only. A request by HTTP returns the error itself, with code and request id; nothing if it succeeds. */
async function throwRejection<T>(source: SubscriptionSource<T>, signal: AbortSignal): Promise<void> {
  try {
    await source.readNewest({ signal, retries: 0 })
  } catch (error) {
    signal.throwIfAborted()
    if (!isTemporary(error)) throw error
  }
}

/** Waits, on a page not longer than until the network is back. */
async function waitForNetwork(seconds: number, signal: AbortSignal): Promise<void> {
  const page = globalThis as Partial<Pick<EventTarget, 'addEventListener' | 'removeEventListener'>>
  const waiting = new AbortController()
  const stopWaiting = () => waiting.abort()
  signal.addEventListener('abort', stopWaiting)
  page.addEventListener?.('online', stopWaiting)
  try {
    await sleep(seconds, waiting.signal).catch(() => {})
    signal.throwIfAborted()
  } finally {
    signal.removeEventListener('abort', stopWaiting)
    page.removeEventListener?.('online', stopWaiting)
  }
}
