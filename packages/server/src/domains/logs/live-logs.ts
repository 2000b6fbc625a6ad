import { writeJson } from '../../lib/json.ts'
import { addSeconds } from '../../lib/time.ts'
import { TimeSlice } from '../../lib/time-slice.ts'
import { perServer } from '../../storage/server-context.ts'
import { decodeRange, type LogRange, rangeSince, readLogRange } from './log-range.ts'
import { type LogRow, toLogResponse } from './store.ts'

export interface LiveLogs {
  /** Sends logs to the listeners. Called after the commit. */
  publish(logs: readonly LogRow[]): void
  /** Calls the listener for logs that this or another server writes from now on. Returns a function that stops it. */
  listen(listener: LogListener): () => void
}

export interface LogListener {
  send(log: StreamLog): void
  /** Logs were skipped. The listener gets no more. */
  onGap(): void
}

/** Maximum number of logs that wait to be sent. Beyond it the stream ends: its clients read the logs by a query and connect again. */
const pendingMax = 40_000

const rowsPerRead = 1000

/** The same for batches of other servers that wait to be read. */
const rangesMax = 200

/** Number of sent ids to remember. Ranges of two servers overlap, and no log must be sent twice. */
const sentIdsMax = 20_000

/** Time range and number of logs to read after notifications of other servers were lost. */
const catchUpSeconds = 30
const catchUpMax = 1000

/**
 * The live stream of logs. Logs of this server are passed on directly: unlike events they have no position to continue from. Another server
 * sends the id range of its batch, and the rows are read if there are listeners.
 */
export const liveLogs = perServer(({ bus, clock, reads }): LiveLogs => {
  const listeners = new Set<LogListener>()
  const unsent: LogRow[] = []
  let isSending = false
  const sentIds = new RecentIds(sentIdsMax)
  const unread: { range: LogRange; max: number }[] = []
  let isReading = false
  let unsubscribe: (() => void) | undefined
  /** When the first of the listeners came: they get no earlier logs. */
  let listensSince = 0

  function endStreams(): void {
    unsent.length = 0
    unread.length = 0
    for (const listener of [...listeners]) {
      listeners.delete(listener)
      listener.onGap()
    }
  }

  function sendNew(logs: readonly LogRow[]): void {
    send(logs.filter(({ id }) => sentIds.add(id)))
  }

  function send(logs: readonly LogRow[]): void {
    for (const log of logs) unsent.push(log)
    if (unsent.length > pendingMax) return void endStreams()
    if (!isSending && unsent.length > 0) void sendPending()
  }

  /** Yields between time slices: a batch of thousands of logs for many subscribers would block the event loop. */
  async function sendPending(): Promise<void> {
    isSending = true
    const slice = new TimeSlice()
    let next = 0
    for (; next < unsent.length && listeners.size > 0; next += 1) {
      const log = new StreamLog(unsent[next] as LogRow)
      for (const listener of listeners) listener.send(log)
      if (!slice.isExhausted) continue
      unsent.splice(0, next + 1)
      next = -1
      await slice.next()
    }
    unsent.length = 0
    isSending = false
  }

  function enqueueRange(range: LogRange | undefined, max: number): void {
    if (!range) return
    unread.push({ range, max })
    if (unread.length > rangesMax) return void endStreams()
    if (!isReading) void readRanges()
  }

  async function readRanges(): Promise<void> {
    isReading = true
    for (let next = unread.shift(); next && listeners.size > 0; next = unread.shift()) {
      // The database is unavailable.
      await sendRange(next.range, next.max).catch(endStreams)
    }
    unread.length = 0
    isReading = false
  }

  async function sendRange(range: LogRange, max: number): Promise<void> {
    for (let rest: LogRange | undefined = range, left = max; rest && left > 0; ) {
      const rows = await readLogRange(reads, rest, Math.min(left, rowsPerRead))
      sendNew(rows)
      left -= rows.length
      rest = rows.length < rowsPerRead ? undefined : { ...rest, after: rows.at(-1)?.id as string }
    }
  }

  return {
    publish(logs) {
      if (listeners.size === 0) return
      // Without other servers no log can arrive twice.
      if (reads.dialect.isShared) sendNew(logs)
      else send(logs)
    },
    listen(listener) {
      if (listeners.size === 0) listensSince = clock.now()
      listeners.add(listener)
      unsubscribe ??= bus.on('logs', ({ from, hint }) => {
        if (from === 'remote') enqueueRange(decodeRange(hint), Number.MAX_SAFE_INTEGER)
        if (from === 'unknown') enqueueRange(rangeSince(Math.max(listensSince, addSeconds(clock.now(), -catchUpSeconds)), sentIds.oldest), catchUpMax)
      })
      return () => {
        listeners.delete(listener)
        if (listeners.size > 0) return
        unsubscribe?.()
        unsubscribe = undefined
        sentIds.clear()
      }
    },
  }
})

/** A log for subscribers. Its message is serialized once, when the first subscriber needs it. */
export class StreamLog {
  readonly row: LogRow
  #frame: Uint8Array | undefined

  constructor(row: LogRow) {
    this.row = row
  }

  get frame(): Uint8Array {
    this.#frame ??= Buffer.from(writeJson({ type: 'log', log: toLogResponse(this.row) }))
    return this.#frame
  }
}

/** The most recent ids, up to a maximum. */
export class RecentIds {
  readonly #max: number
  /** A set iterates in insertion order. */
  readonly #ids = new Set<string>()
  #hasEvicted = false

  constructor(max: number) {
    this.#max = max
  }

  /** Returns false if the id is already in the set. */
  add(id: string): boolean {
    if (this.#ids.has(id)) return false
    this.#ids.add(id)
    if (this.#ids.size > this.#max) {
      this.#ids.delete(this.#ids.values().next().value as string)
      this.#hasEvicted = true
    }
    return true
  }

  /** The oldest remembered id. Undefined until an id is evicted. */
  get oldest(): string | undefined {
    return this.#hasEvicted ? this.#ids.values().next().value : undefined
  }

  clear(): void {
    this.#ids.clear()
    this.#hasEvicted = false
  }
}
