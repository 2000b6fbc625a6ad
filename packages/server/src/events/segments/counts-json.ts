import { yieldToEventLoop } from '../../lib/time-slice.ts'
import type { ResourceCounts } from './count-resources.ts'
import { countDigits, timeLength, writeDigits, writeTime } from './json-bytes.ts'
import type { StringTable } from './string-table.ts'

/** Rows per chunk: a millisecond of work and some hundred kilobytes. */
const rowBatchSize = 2048

const bytesOf = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text))
const [opening, label, count, start, end, closing] = ['{"value":', ',"label":', ',"count":', ',"start_time":"', '","end_time":"', '"},'].map(
  bytesOf,
) as [Uint8Array, Uint8Array, Uint8Array, Uint8Array, Uint8Array, Uint8Array]
const keysLength = [opening, label, count, start, end, closing].reduce((sum, { length }) => sum + length, 0)

/**
 * Streams the counts of resources as JSON, in the given order. The bytes are written directly from the typed arrays: there may be as many rows as events, and
 * with objects and strings a response of 200,000 rows took two seconds and half a gigabyte.
 */
export async function* streamCountsJson(counted: ResourceCounts, sortedIds: Uint32Array): AsyncGenerator<Uint8Array> {
  yield bytesOf('[')
  for (let from = 0; from < sortedIds.length; from += rowBatchSize) {
    const ids = sortedIds.subarray(from, from + rowBatchSize)
    // A new buffer for each chunk, because the previous one may still be in the socket.
    const chunk = Buffer.allocUnsafeSlow(maxByteLengthOfRows(counted, ids))
    const end = writeRows(chunk, counted, ids)
    const isLast = from + rowBatchSize >= sortedIds.length
    // Drops the comma after the last row.
    yield chunk.subarray(0, isLast ? end - 1 : end)
    await yieldToEventLoop()
  }
  yield bytesOf(']')
}

/** Returns the end offset. */
function writeRows(chunk: Buffer, { counts, oldest, newest, displayNames, resourceIds: { strings } }: ResourceCounts, ids: Uint32Array): number {
  let at = 0
  for (let i = 0; i < ids.length; i += 1) {
    const id = ids[i] as number
    at = writeBytes(chunk, at, opening)
    at = writeString(chunk, at, strings, id)
    at = writeBytes(chunk, at, label)
    at = writeString(chunk, at, strings, displayNames[id] as number)
    at = writeBytes(chunk, at, count)
    at = writeDigits(chunk, at, counts[id] as number, countDigits(counts[id] as number))
    at = writeBytes(chunk, at, start)
    at = writeTime(chunk, at, oldest[id] as number)
    at = writeBytes(chunk, at, end)
    at = writeTime(chunk, at, newest[id] as number)
    at = writeBytes(chunk, at, closing)
  }
  return at
}

/** Times without a fraction are shorter. */
function maxByteLengthOfRows({ counts, displayNames, resourceIds: { strings } }: ResourceCounts, ids: Uint32Array): number {
  let size = 0
  for (let i = 0; i < ids.length; i += 1) {
    const id = ids[i] as number
    size += keysLength + 2 * timeLength + countDigits(counts[id] as number) + strings.jsonLength(id) + strings.jsonLength(displayNames[id] as number)
  }
  return size
}

function writeBytes(chunk: Uint8Array, at: number, bytes: Uint8Array): number {
  for (let i = 0; i < bytes.length; i += 1) chunk[at + i] = bytes[i] as number
  return at + bytes.length
}

const quote = 0x22

function writeString(chunk: Buffer, at: number, strings: StringTable, id: number): number {
  if (!strings.needsNoEscape(id)) return at + chunk.write(JSON.stringify(strings.at(id)), at)
  chunk[at] = quote
  const end = strings.copyTo(id, chunk, at + 1)
  chunk[end] = quote
  return end + 1
}
