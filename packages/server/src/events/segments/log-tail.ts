import { yieldToEventLoop } from '../../lib/time-slice.ts'
import { type Db, statement } from '../../storage/database.ts'
import type { EventRow } from '../store.ts'
import { readRowsAfter } from './log-rows.ts'
import type { SegmentBounds } from './segment.ts'
import type { SegmentRows } from './segment-rows.ts'
import { forCurrentSize, type LogRevision, revisionColumns, rowsAfterPosition, type SegmentRef } from './segment-store.ts'
import { SegmentWriter } from './segment-writer.ts'

/** Events per segment in memory. A query encodes the last one again when events were added: two milliseconds. */
const tailEventsMax = 512
/** Rows per query: some milliseconds of work. */
const readBatchSize = 250

/** One snapshot, so that an event that moves into a segment is either among the rows or changes the revision. */
const newEvents = statement(
  `select ${revisionColumns}, event.* from (select 1 as one) one left join ${rowsAfterPosition} event on 1 = 1 order by event.position`,
  forCurrentSize,
)

/** The events after the last stored segment, as segments in memory. */
export class LogTail {
  readonly #db: Db
  readonly #onFull: (ref: SegmentRef, writer: SegmentWriter) => void
  readonly #size: number
  /** The last position of the stored segments. */
  #from = 0
  #full: SegmentRef[] = []
  #writer: SegmentWriter
  /** How often events were removed. Afterwards a segment may have the same bounds as before, with fewer events. */
  #trims = 0
  /** The last writers that were filled from rows: a query needs several parts of one segment. */
  readonly #refilled = new Map<string, Promise<SegmentWriter>>()

  /** `onFull` is called with the events of a segment before they leave memory: to read them again takes longer than to encode them. */
  constructor(db: Db, onFull: (ref: SegmentRef, writer: SegmentWriter) => void, size = tailEventsMax) {
    this.#db = db
    this.#onFull = onFull
    this.#size = size
    this.#writer = new SegmentWriter(size)
  }

  get segments(): SegmentRef[] {
    return this.#writer.count > 0 ? [...this.#full, this.#toRef(this.#writer.bounds())] : this.#full
  }

  /** Adds new events. Returns the revision of the log if it is not the expected one; the caller then reads the segments and calls `reset`. */
  async readNewEvents(expected: LogRevision): Promise<LogRevision | undefined> {
    for (;;) {
      const limit = Math.min(readBatchSize, this.#size - this.#writer.count)
      const rows = await this.#db.all<EventRow & LogRevision>(newEvents, [this.#head(), limit])
      const { segments, trims } = rows[0] as LogRevision
      if (segments !== expected.segments || trims !== expected.trims) return { segments, trims }
      // Without new events there is one row with the revision only.
      const found = rows[0]?.position === null ? [] : rows
      for (const row of found) this.#writer.add(row)
      if (this.#writer.count === this.#size) {
        const ref = this.#toRef(this.#writer.bounds())
        this.#full.push(ref)
        this.#onFull(ref, this.#writer)
        this.#writer = new SegmentWriter(this.#size)
      }
      if (found.length < limit) return undefined
      await yieldToEventLoop()
    }
  }

  /** Drops segments whose events are stored now. Drops all when events were removed, or another server chose other bounds. */
  reset(storedUntil: number, isTrimmed: boolean): void {
    this.#from = storedUntil
    if (isTrimmed) this.#trims += 1
    this.#full = this.#full.filter(({ last }) => last > storedUntil)
    const begin = this.#full[0]?.first ?? (this.#writer.count > 0 ? this.#writer.bounds().first : undefined)
    if (!isTrimmed && (begin === undefined || begin > storedUntil)) return
    this.#full = []
    this.#writer = new SegmentWriter(this.#size)
  }

  #head(): number {
    return this.#writer.count > 0 ? this.#writer.bounds().last : (this.#full.at(-1)?.last ?? this.#from)
  }

  /** A writer with the events of a segment. */
  async writerFor(ref: SegmentRef, rows: SegmentRows): Promise<SegmentWriter> {
    const { first, last } = this.#writer.bounds()
    if (ref.kind === 'memory' && this.#writer.count > 0 && first === ref.first && last === ref.last) return this.#writer
    // Concurrent requests share one.
    const refilling = this.#refilled.get(ref.key) ?? this.#refill(ref, rows)
    this.#refilled.set(ref.key, refilling)
    const [oldest] = this.#refilled.keys()
    if (this.#refilled.size > 2 && oldest !== undefined) this.#refilled.delete(oldest)
    refilling.catch(() => this.#refilled.delete(ref.key))
    return refilling
  }

  async #refill(ref: SegmentRef, segmentRows: SegmentRows): Promise<SegmentWriter> {
    const writer = new SegmentWriter(ref.count)
    for (let head = ref.first - 1, more = true; more; ) {
      // Not from the place of the reference: the rows may have moved since.
      const read = await readRowsAfter(this.#db, segmentRows, head, readBatchSize)
      const rows = read.filter(({ position }) => position <= ref.last)
      for (const row of rows) writer.add(row)
      more = rows.length === readBatchSize
      head = rows.at(-1)?.position ?? head
      await yieldToEventLoop()
    }
    return writer
  }

  #toRef(bounds: SegmentBounds): SegmentRef {
    const key = `memory ${this.#trims} ${bounds.first} ${bounds.last}`
    return { ...bounds, key, kind: 'memory', id: bounds.first, blocks: new Uint32Array(), isPartial: false }
  }
}
