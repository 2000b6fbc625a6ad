import { promisify } from 'node:util'
import { constants, zstdCompress, zstdDecompressSync } from 'node:zlib'

export type Column = Uint8Array | Uint16Array | Uint32Array | Float64Array

const arrayTypes = [Uint8Array, Uint16Array, Uint32Array, Float64Array] as const

/** Increase when the meaning of a column changes. Parts with another version are rebuilt from the events. */
const layoutVersion = 2

/** Level 3 takes a microsecond per event. Brotli saves a tenth more and takes five times as long, twice as long to decompress. */
const zstdOptions = { params: { [constants.ZSTD_c_compressionLevel]: 3 } }
const zstdMagic = 0xfd2fb528

/** Most parts and blocks fit into one chunk, which takes two thirds of the time of Node's default of 16 KiB. */
const decompressedBytes = 256 * 1024

const zstd = promisify(zstdCompress) as (bytes: Uint8Array, options: object) => Promise<Uint8Array>

/** Compresses on a thread of Node's pool. With the size zstd takes tables that fit, which saves a third of the time of a block. */
export const compress = (bytes: Uint8Array): Promise<Uint8Array> => zstd(bytes, { ...zstdOptions, pledgedSrcSize: bytes.byteLength })

/** Returns bytes that are not compressed as they are: legacy segments, and segments in memory. */
export function decompress(bytes: Uint8Array): Uint8Array {
  if (bytes.byteLength < 4 || new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true) !== zstdMagic) return bytes
  const raw = zstdDecompressSync(bytes, { chunkSize: decompressedBytes })
  // The result of a single chunk would keep the whole chunk in memory.
  return raw.buffer.byteLength > raw.byteLength * 1.25 ? new Uint8Array(raw) : raw
}

const alignTo8 = (bytes: number): number => Math.ceil(bytes / 8) * 8

/** Encodes columns as a header and the raw arrays, each aligned to 8 bytes, so that decoding needs no copy. */
export function encodeColumns(columns: readonly Column[]): Uint8Array {
  const header = Uint32Array.from([
    layoutVersion,
    columns.length,
    ...columns.flatMap((column) => [arrayTypes.findIndex((make) => column instanceof make), column.byteLength]),
  ])
  let size = alignTo8(header.byteLength)
  for (const column of columns) size += alignTo8(column.byteLength)
  const bytes = new Uint8Array(size)
  bytes.set(bytesOf(header), 0)
  let at = alignTo8(header.byteLength)
  for (const column of columns) {
    bytes.set(bytesOf(column), at)
    at += alignTo8(column.byteLength)
  }
  return bytes
}

/** Copies only unaligned bytes. Undefined for another layout version. */
export function decodeColumns(encoded: Uint8Array): Column[] | undefined {
  // Not `slice`, which does not copy a Buffer.
  const bytes = encoded.byteOffset % 8 === 0 ? encoded : new Uint8Array(encoded)
  const word = (index: number) => new Uint32Array(bytes.buffer, bytes.byteOffset + index * 4, 1)[0] as number
  if (word(0) !== layoutVersion) return undefined
  const count = word(1)
  const columns: Column[] = []
  let at = alignTo8(8 + count * 8)
  for (let index = 0; index < count; index += 1) {
    const length = word(3 + index * 2)
    const make = arrayTypes[word(2 + index * 2)] as (typeof arrayTypes)[number]
    columns.push(new make(bytes.buffer as ArrayBuffer, bytes.byteOffset + at, length / make.BYTES_PER_ELEMENT))
    at += alignTo8(length)
  }
  return columns
}

/** The end of each list when all lists are concatenated. */
export function endOffsets(lists: readonly (readonly unknown[])[]): Uint32Array {
  let end = 0
  return Uint32Array.from(lists, (list) => {
    end += list.length
    return end
  })
}

const bytesOf = (column: Column): Uint8Array => new Uint8Array(column.buffer, column.byteOffset, column.byteLength)
