import { writeJson } from '../../lib/json.ts'
import { addSeconds } from '../../lib/time.ts'
import { TimeSlice } from '../../lib/time-slice.ts'
import { perServer } from '../../storage/per-server.ts'
import { decodeRange, type LogRange, rangeSince, readLogRange } from './log-range.ts'
import { type LogRow, toLogResponse } from './store.ts'

export interface LiveLogs {
  /** Shows logs to whoever listens; called once they are kept. */
  publish(logs: readonly LogRow[]): void
  /** Calls back for what is written from now on, here and by other servers; returns how to stop that. */
  listen(listener: (log: StreamLog) => void): () => void
}

/** Logs that wait to be shown. When more come than subscribers can be sent the oldest are left out, as with batches of others. */
const pendingMax = 20_000

const rowsAtOnce = 1000

/** Batches of others that wait to be read. When more come than can be read the oldest are left out: a stream shows what happens now. */
const rangesMax = 200

/** Ids of what was shown, so that nothing is shown twice: batches of two servers lie between each other. */
const shownMax = 20_000

/** How far back we look after others could not be heard for a while, and how much we show of it. */
const catchUpSeconds = 30
const catchUpMax = 1000

/**
 * Logs as they are written. Those of this server are handed on directly: unlike events they have no place in an order that a reader could go on
 * from. Another server tells between which ids its batch lies, and the rows are read, if anybody listens here.
 */
export const liveLogs = perServer(({ bus, clock, reads }): LiveLogs => {
  const listeners = new Set<(log: StreamLog) => void>()
  const unshown: LogRow[] = []
  let showing = false
  const shown = new RecentIds(shownMax)
  const waiting: { range: LogRange; max: number }[] = []
  let reading = false
  let deaf: (() => void) | undefined

  function show(logs: readonly LogRow[]): void {
    pass(logs.filter(({ id }) => shown.add(id)))
  }

  function pass(logs: readonly LogRow[]): void {
    for (const log of logs) unshown.push(log)
    if (unshown.length > pendingMax) unshown.splice(0, unshown.length - pendingMax)
    if (!showing && unshown.length > 0) void showAll()
  }

  /** In slices: a batch of thousands of logs for many subscribers is a long turn otherwise. */
  async function showAll(): Promise<void> {
    showing = true
    const slice = new TimeSlice()
    let next = 0
    for (; next < unshown.length && listeners.size > 0; next += 1) {
      const log = new StreamLog(unshown[next] as LogRow)
      for (const listener of listeners) listener(log)
      if (!slice.isExhausted) continue
      unshown.splice(0, next + 1)
      next = -1
      await slice.next()
    }
    unshown.length = 0
    showing = false
  }

  function look(range: LogRange | undefined, max: number): void {
    if (!range) return
    waiting.push({ range, max })
    if (waiting.length > rangesMax) waiting.shift()
    if (!reading) void readOn()
  }

  async function readOn(): Promise<void> {
    reading = true
    for (let next = waiting.shift(); next && listeners.size > 0; next = waiting.shift()) {
      // The database is away for the moment: what was to be shown is still there to be asked for.
      await showRange(next.range, next.max).catch(() => undefined)
    }
    waiting.length = 0
    reading = false
  }

  async function showRange(range: LogRange, max: number): Promise<void> {
    for (let rest: LogRange | undefined = range, left = max; rest && left > 0; ) {
      const rows = await readLogRange(reads, rest, Math.min(left, rowsAtOnce))
      show(rows)
      left -= rows.length
      rest = rows.length < rowsAtOnce ? undefined : { ...rest, after: rows.at(-1)?.id as string }
    }
  }

  return {
    publish(logs) {
      if (listeners.size === 0) return
      // Where no others write, nothing can come twice.
      if (reads.dialect.isShared) show(logs)
      else pass(logs)
    },
    listen(listener) {
      listeners.add(listener)
      deaf ??= bus.on('logs', ({ from, hint: note }) => {
        if (from === 'elsewhere') look(decodeRange(note), Number.MAX_SAFE_INTEGER)
        if (from === 'unknown') look(rangeSince(addSeconds(clock.now(), -catchUpSeconds), shown.oldest), catchUpMax)
      })
      return () => {
        listeners.delete(listener)
        if (listeners.size > 0) return
        deaf?.()
        deaf = undefined
        shown.clear()
      }
    },
  }
})

/** A log on its way to subscribers; the message is written once for all of them, when the first one wants it. */
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

/** The ids that were seen last, so many at most. */
export class RecentIds {
  readonly #max: number
  /** In the order in which they came, as sets are. */
  readonly #ids = new Set<string>()
  #hasEvicted = false

  constructor(max: number) {
    this.#max = max
  }

  /** False when it is known. */
  add(id: string): boolean {
    if (this.#ids.has(id)) return false
    this.#ids.add(id)
    if (this.#ids.size > this.#max) {
      this.#ids.delete(this.#ids.values().next().value as string)
      this.#hasEvicted = true
    }
    return true
  }

  /** What came before this one is forgotten; undefined while nothing is. */
  get oldest(): string | undefined {
    return this.#hasEvicted ? this.#ids.values().next().value : undefined
  }

  clear(): void {
    this.#ids.clear()
    this.#hasEvicted = false
  }
}
