import { yieldToEventLoop } from '../../lib/time-slice.ts'
import type { Db } from '../../storage/database.ts'
import type { EventRow } from '../store.ts'
import { idToBytes, RowBlock } from './row-blocks.ts'
import { readRowBlocks, readSegmentParts, type SegmentRef } from './segment-store.ts'

/** Decompressed blocks that stay in memory: consecutive pages and log readers use the same ones. */
const cacheBytesMax = 16 * 1024 * 1024

/** Blocks per query. A block has at most 256 KiB of text, or one event. */
const blocksPerRead = 8

/** Reads rows of stored segments. Rows of a segment that retention has removed meanwhile are missing. */
export class SegmentRows {
  readonly #db: Db
  readonly #cache = new Map<string, RowBlock>()
  #bytes = 0

  constructor(db: Db) {
    this.#db = db
  }

  /** The rows at the given positions, in ascending order. */
  async at(ref: SegmentRef, positions: readonly number[]): Promise<EventRow[]> {
    const sorted = positions.toSorted((a, b) => a - b)
    const byBlock = Map.groupBy(sorted, (position) => blockIndexAt(ref, position))
    const rows: EventRow[] = []
    for await (const { index, block } of this.#blocks(ref, [...byBlock.keys()])) {
      for (const position of byBlock.get(index) ?? []) {
        const at = block.indexFrom(position)
        if (block.positionAt(at) === position) rows.push(block.row(at))
      }
    }
    return rows
  }

  /** Up to `limit` rows after a position. */
  async after(ref: SegmentRef, position: number, limit: number): Promise<EventRow[]> {
    const rows: EventRow[] = []
    const from = position < ref.first ? 0 : blockIndexAt(ref, position)
    const indexes = Array.from({ length: ref.blocks.length / 2 - from }, (_, n) => from + n)
    for await (const { block } of this.#blocks(ref, indexes)) {
      for (let at = block.indexFrom(position + 1); at < block.count && rows.length < limit; at += 1) rows.push(block.row(at))
      if (rows.length >= limit) break
    }
    return rows
  }

  /** The rows with the given ids. */
  async withIds(ref: SegmentRef, ids: readonly string[]): Promise<EventRow[]> {
    const found = (await this.indexesOf(this.#db, ref, ids))?.values() ?? []
    const byBlock = Map.groupBy(found, (index) => blockIndexOf(ref, index))
    const rows: EventRow[] = []
    for await (const { index, block } of this.#blocks(ref, [...byBlock.keys()])) {
      for (const at of byBlock.get(index) ?? []) rows.push(block.row(at - (ref.blocks[index * 2] as number)))
    }
    return rows
  }

  /** The indexes of the events with the given ids, by id. Reads only ids. Undefined when the segment no longer exists. */
  async indexesOf(db: Db, ref: SegmentRef, ids: readonly string[]): Promise<Map<string, number> | undefined> {
    const blocks = await readSegmentParts(db, 'stored', 'ids', [ref.id])
    if (blocks.length === 0) return undefined
    const all = Buffer.concat(blocks.map(({ body }) => body))
    const found = new Map<string, number>()
    for (const id of ids) {
      const index = findUuid(all, idToBytes(id))
      if (index !== undefined) found.set(id, index)
    }
    return found
  }

  async *#blocks(ref: SegmentRef, indexes: readonly number[]): AsyncGenerator<{ index: number; block: RowBlock }> {
    for (let from = 0; from < indexes.length; from += blocksPerRead) {
      const batch = indexes.slice(from, from + blocksPerRead).map((index) => ({ index, start: ref.blocks[index * 2] as number }))
      const cached = new Map(batch.map(({ start }) => [start, this.#cache.get(`${ref.id} ${start}`)]))
      const missing = batch.flatMap(({ start }) => (cached.get(start) ? [] : [start]))
      const read = missing.length > 0 ? await readRowBlocks(this.#db, ref.id, missing) : []
      const bodies = new Map(read.map((block) => [block.start, block]))
      for (const { index, start } of batch) {
        const body = bodies.get(start)
        const block = cached.get(start) ?? (body && new RowBlock(body.ids, body.body))
        if (!block) continue
        this.#keep(`${ref.id} ${start}`, block)
        yield { index, block }
      }
      await yieldToEventLoop()
    }
  }

  /** Moves a block to the end of the cache. The first one is evicted next. */
  #keep(key: string, block: RowBlock): void {
    if (this.#cache.delete(key)) this.#bytes -= block.bytes
    if (block.bytes > cacheBytesMax / 4) return
    this.#cache.set(key, block)
    this.#bytes += block.bytes
    for (const [oldest, { bytes }] of this.#cache) {
      if (this.#bytes <= cacheBytesMax) break
      this.#cache.delete(oldest)
      this.#bytes -= bytes
    }
  }
}

const uuidBytes = 16

/** The index of a UUID in concatenated ones. */
function findUuid(all: Buffer, wanted: Buffer): number | undefined {
  let at = all.indexOf(wanted)
  // A match may begin within a UUID.
  while (at >= 0 && at % uuidBytes !== 0) at = all.indexOf(wanted, at + 1)
  return at < 0 ? undefined : at / uuidBytes
}

/** The block that contains a position of the segment. */
const blockIndexAt = ({ blocks, first }: SegmentRef, position: number): number => lastBlockUpTo(blocks, 1, position - first)

/** The block that contains an event by its index. */
const blockIndexOf = ({ blocks }: SegmentRef, index: number): number => lastBlockUpTo(blocks, 0, index)

/** The last block whose start (`field` 0) or first position (`field` 1) is not above a value. */
function lastBlockUpTo(blocks: Uint32Array, field: 0 | 1, value: number): number {
  let low = 0
  let high = blocks.length / 2 - 1
  while (low < high) {
    const middle = (low + high + 1) >>> 1
    if ((blocks[middle * 2 + field] as number) <= value) low = middle
    else high = middle - 1
  }
  return low
}
