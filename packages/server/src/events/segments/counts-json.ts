import { yieldToEventLoop } from '../../lib/time-slice.ts'
import type { ResourceCounts } from './count-resources.ts'
import { countDigits, timeLength, writeDigits, writeTime } from './json-bytes.ts'
import type { StringTable } from './string-table.ts'

/** Rows that are written in one go: a millisecond, and some hundred kilobytes. */
const rowBatchSize = 2048

const bytesOf = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text))
const [opening, label, count, start, end, closing] = ['{"value":', ',"label":', ',"count":', ',"start_time":"', '","end_time":"', '"},'].map(
  bytesOf,
) as [Uint8Array, Uint8Array, Uint8Array, Uint8Array, Uint8Array, Uint8Array]
const keysLength = [opening, label, count, start, end, closing].reduce((sum, { length }) => sum + length, 0)

/**
 * The counts of subjects as JSON, the most frequent first, piece by piece. Written as bytes right from the numbers: there may be as many rows as there
 * are events, and made of objects and strings an answer of 200,000 took two seconds and half a gigabyte.
 */
export async function* streamCountsJson(counted: ResourceCounts, subjects: Uint32Array): AsyncGenerator<Uint8Array> {
  yield bytesOf('[')
  for (let from = 0; from < subjects.length; from += rowBatchSize) {
    const some = subjects.subarray(from, from + rowBatchSize)
    // Each piece has memory of its own: the one before may still be on its way out.
    const written = Buffer.allocUnsafeSlow(byteLengthOfRows(counted, some))
    writeRows(written, counted, some)
    const isLast = from + rowBatchSize >= subjects.length
    // No comma after the last.
    yield isLast ? written.subarray(0, -1) : written
    await yieldToEventLoop()
  }
  yield bytesOf(']')
}

function writeRows(
  written: Buffer,
  { counts, oldest, newest, displayNames: labels, resourceIds: { strings: texts } }: ResourceCounts,
  subjects: Uint32Array,
): void {
  let at = 0
  for (let i = 0; i < subjects.length; i += 1) {
    const subject = subjects[i] as number
    at = writeBytes(written, at, opening)
    at = writeString(written, at, texts, subject)
    at = writeBytes(written, at, label)
    at = writeString(written, at, texts, labels[subject] as number)
    at = writeBytes(written, at, count)
    at = writeDigits(written, at, counts[subject] as number, countDigits(counts[subject] as number))
    at = writeBytes(written, at, start)
    at = writeTime(written, at, oldest[subject] as number)
    at = writeBytes(written, at, end)
    at = writeTime(written, at, newest[subject] as number)
    at = writeBytes(written, at, closing)
  }
}

/** How many bytes some rows take. */
function byteLengthOfRows({ counts, displayNames: labels, resourceIds: { strings: texts } }: ResourceCounts, subjects: Uint32Array): number {
  let size = 0
  for (let i = 0; i < subjects.length; i += 1) {
    const subject = subjects[i] as number
    size +=
      keysLength + 2 * timeLength + countDigits(counts[subject] as number) + texts.jsonLength(subject) + texts.jsonLength(labels[subject] as number)
  }
  return size
}

function writeBytes(written: Uint8Array, at: number, bytes: Uint8Array): number {
  for (let i = 0; i < bytes.length; i += 1) written[at + i] = bytes[i] as number
  return at + bytes.length
}

const quote = 0x22

function writeString(written: Buffer, at: number, texts: StringTable, number: number): number {
  if (!texts.needsNoEscape(number)) return at + written.write(JSON.stringify(texts.at(number)), at)
  written[at] = quote
  const end = texts.copyTo(number, written, at + 1)
  written[end] = quote
  return end + 1
}
