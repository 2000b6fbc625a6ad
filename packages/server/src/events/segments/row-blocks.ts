import type { EventRow } from '../store.ts'
import { compress, decodeColumns, decompress, encodeColumns } from './column-codec.ts'

/** A block ends at this many events or bytes. Smaller blocks compress worse, larger ones take longer to read a single event from. */
const blockEventsMax = 256
const blockBytesMax = 256 * 1024

/** The text columns in the order of the block. All texts of a column are adjacent, which compresses better. */
const textColumns = ['event', 'resource_id', 'resource', 'related', 'payload'] as const

const idBytes = 16

/** A stored block: the ids, which SQL can search, and the compressed rest of the rows. */
export interface EncodedBlock {
  /** The index of its first event in the segment. */
  readonly start: number
  readonly ids: Uint8Array
  readonly body: Uint8Array
}

/** Collects the rows of a segment in blocks. Every text is stored byte for byte. */
export class RowBlockWriter {
  readonly #encoded: EncodedBlock[] = []
  /** The first position of each block. */
  readonly #firstPositions: number[] = []
  /** The blocks that are not encoded. Rows are added to the last one. */
  readonly #blocks: EventRow[][] = []
  /** Of the last block. */
  #bytes = 0
  /** Rows of the encoded blocks. */
  #count = 0

  add(row: EventRow): void {
    const bytes = row.resource.length + row.related.length + row.payload.length
    const current = this.#blocks.at(-1)
    this.#bytes += bytes
    if (current && current.length < blockEventsMax && this.#bytes <= blockBytesMax) current.push(row)
    else {
      this.#blocks.push([row])
      this.#firstPositions.push(row.position)
      this.#bytes = bytes
    }
  }

  /** Encodes the blocks that are full. Their rows need no memory from then on. */
  encodeFull(): Promise<void> {
    return this.#encode(this.#blocks.splice(0, this.#blocks.length - 1))
  }

  /** Encodes the rest. Returns all blocks. */
  async finish(): Promise<readonly EncodedBlock[]> {
    await this.#encode(this.#blocks.splice(0))
    return this.#encoded
  }

  async #encode(blocks: readonly EventRow[][]): Promise<void> {
    for (const rows of blocks) {
      const start = this.#count
      this.#count += rows.length
      this.#encoded.push({ start, ids: idsToBytes(rows, 'id'), body: await compress(encodeRows(rows)) })
    }
  }

  /** The directory of the encoded blocks for `event_segment.blocks`: pairs of start index and first position, relative to the first of the segment. */
  directory(): Uint32Array {
    const [first = 0] = this.#firstPositions
    return Uint32Array.from(this.#encoded.flatMap(({ start }, block) => [start, (this.#firstPositions[block] as number) - first]))
  }
}

function encodeRows(rows: readonly EventRow[]): Uint8Array {
  const texts: string[] = []
  for (const column of textColumns) for (const row of rows) texts.push(row[column])
  const ends = new Uint32Array(texts.length)
  let end = 0
  for (const [index, text] of texts.entries()) {
    end += Buffer.byteLength(text)
    ends[index] = end
  }
  return encodeColumns([
    Float64Array.from(rows, ({ position }) => position),
    Float64Array.from(rows, ({ occurred }) => occurred),
    Float64Array.from(rows, ({ received }) => received),
    Uint8Array.from(rows, ({ follows }) => Number(follows !== null)),
    idsToBytes(rows, 'follows'),
    ends,
    Buffer.from(texts.join('')),
  ])
}

/** The rows of a block. A row is decoded when it is read, so that a block with large payloads takes its decompressed size only. */
export class RowBlock {
  readonly bytes: number
  readonly #ids: Uint8Array
  readonly #positions: Float64Array
  readonly #occurred: Float64Array
  readonly #received: Float64Array
  readonly #hasFollows: Uint8Array
  readonly #follows: Uint8Array
  readonly #ends: Uint32Array
  readonly #text: Buffer

  constructor(ids: Uint8Array, body: Uint8Array) {
    const raw = decompress(body)
    const columns = decodeColumns(raw)
    if (!columns) throw new Error('The event log was written by a newer version of Millrace. Start that version.')
    this.bytes = raw.byteLength + ids.byteLength
    this.#ids = ids
    const [positions, occurred, received, hasFollows, follows, ends, text] = columns
    this.#positions = positions as Float64Array
    this.#occurred = occurred as Float64Array
    this.#received = received as Float64Array
    this.#hasFollows = hasFollows as Uint8Array
    this.#follows = follows as Uint8Array
    this.#ends = ends as Uint32Array
    this.#text = Buffer.from((text as Uint8Array).buffer, (text as Uint8Array).byteOffset, (text as Uint8Array).byteLength)
  }

  get count(): number {
    return this.#positions.length
  }

  /** The index of the first event at or after a position. */
  indexFrom(position: number): number {
    let low = 0
    let high = this.count
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.#positions[middle] as number) >= position) high = middle
      else low = middle + 1
    }
    return low
  }

  positionAt(index: number): number | undefined {
    return this.#positions[index]
  }

  row(index: number): EventRow {
    return {
      position: this.#positions[index] as number,
      id: bytesToId(this.#ids, index),
      occurred: this.#occurred[index] as number,
      received: this.#received[index] as number,
      event: this.#textAt(0, index),
      resource_id: this.#textAt(1, index),
      resource: this.#textAt(2, index),
      related: this.#textAt(3, index),
      payload: this.#textAt(4, index),
      follows: this.#hasFollows[index] ? bytesToId(this.#follows, index) : null,
    }
  }

  #textAt(column: number, index: number): string {
    const at = column * this.count + index
    return this.#text.toString('utf8', at === 0 ? 0 : this.#ends[at - 1], this.#ends[at])
  }
}

export const idToBytes = (id: string): Buffer => Buffer.from(id.replaceAll('-', ''), 'hex')

/** The ids of all rows. One that is null has zeros. */
function idsToBytes(rows: readonly EventRow[], column: 'id' | 'follows'): Uint8Array {
  const bytes = new Uint8Array(rows.length * idBytes)
  for (const [index, row] of rows.entries()) {
    const id = row[column]
    if (id !== null) writeId(bytes, index * idBytes, id)
  }
  return bytes
}

/** Writes the digits of an id without its hyphens. */
function writeId(bytes: Uint8Array, from: number, id: string): void {
  let at = from
  for (let digit = 0; digit < id.length; digit += 2) {
    if (id.charCodeAt(digit) === hyphen) digit += 1
    bytes[at] = (digitOf(id.charCodeAt(digit)) << 4) | digitOf(id.charCodeAt(digit + 1))
    at += 1
  }
}

const hyphen = 0x2d

/** The value of a hexadecimal digit. */
const digitOf = (code: number): number => (code & 15) + (code >> 6) * 9

function bytesToId(bytes: Uint8Array, index: number): string {
  const hex = Buffer.from(bytes.buffer, bytes.byteOffset + index * idBytes, idBytes).toString('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}
