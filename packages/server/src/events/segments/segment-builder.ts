import type { EventRow } from '../store.ts'
import { compress } from './column-codec.ts'
import { RowBlockWriter } from './row-blocks.ts'
import { partNames, type SegmentBounds } from './segment.ts'
import type { StoredPart } from './segment-store.ts'
import { SegmentWriter } from './segment-writer.ts'

/** A segment that is ready to be inserted. */
export interface EncodedSegment {
  readonly bounds: SegmentBounds
  readonly directory: Uint32Array
  readonly parts: readonly StoredPart[]
}

/** Collects rows and encodes them as a segment with all parts: on this thread, or on another one (`segment-thread.ts`). */
export interface SegmentBuild {
  /** Of the rows that were added. */
  readonly positions: readonly number[]
  /** Adds rows, which need much more memory than what is kept of them. */
  add(rows: readonly EventRow[]): Promise<void>
  encode(): Promise<EncodedSegment>
}

/** Builds a segment on this thread. */
export class SegmentBuilder implements SegmentBuild {
  readonly positions: number[] = []
  readonly #writer: SegmentWriter
  readonly #rows = new RowBlockWriter()

  constructor(size: number) {
    this.#writer = new SegmentWriter(size)
  }

  async add(rows: readonly EventRow[]): Promise<void> {
    for (const row of rows) {
      this.positions.push(row.position)
      this.#writer.add(row)
      this.#rows.add(row)
    }
    this.#writer.analyzePayloads()
    await this.#rows.encodeFull()
  }

  async encode(): Promise<EncodedSegment> {
    const encoded = await this.#writer.encode()
    const parts: StoredPart[] = []
    for (const part of partNames) parts.push({ part, block: 0, body: await compress(encoded[part]) })
    for (const { start, ids, body } of await this.#rows.finish())
      parts.push({ part: 'ids', block: start, body: ids }, { part: 'rows', block: start, body })
    return { bounds: this.#writer.bounds(), directory: this.#rows.directory(), parts }
  }
}
