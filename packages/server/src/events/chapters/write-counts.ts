import { yieldToEventLoop } from '../../lib/yield-to-event-loop.ts'
import type { SubjectCounts } from './count-subjects.ts'
import type { Register } from './register.ts'
import { digitsOf, putDigits, putTime, timeLength } from './written-numbers.ts'

/** Rows that are written in one go: a millisecond, and some hundred kilobytes. */
const rowsAtOnce = 2048

const bytesOf = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text))
const [opening, label, count, start, end, closing] = ['{"value":', ',"label":', ',"count":', ',"start_time":"', '","end_time":"', '"},'].map(
  bytesOf,
) as [Uint8Array, Uint8Array, Uint8Array, Uint8Array, Uint8Array, Uint8Array]
const keysLength = [opening, label, count, start, end, closing].reduce((sum, { length }) => sum + length, 0)

/**
 * The counts of subjects as JSON, the most frequent first, piece by piece. Written as bytes right from the numbers: there may be as many rows as there
 * are events, and made of objects and strings an answer of 200,000 took two seconds and half a gigabyte.
 */
export async function* writeCounts(counted: SubjectCounts, subjects: Uint32Array): AsyncGenerator<Uint8Array> {
  yield bytesOf('[')
  for (let from = 0; from < subjects.length; from += rowsAtOnce) {
    const some = subjects.subarray(from, from + rowsAtOnce)
    // Each piece has memory of its own: the one before may still be on its way out.
    const written = Buffer.allocUnsafeSlow(sizeOf(counted, some))
    putRows(written, counted, some)
    const isLast = from + rowsAtOnce >= subjects.length
    // No comma after the last.
    yield isLast ? written.subarray(0, -1) : written
    await yieldToEventLoop()
  }
  yield bytesOf(']')
}

function putRows(written: Buffer, { counts, oldest, newest, labels, numbers: { texts } }: SubjectCounts, subjects: Uint32Array): void {
  let at = 0
  for (let i = 0; i < subjects.length; i += 1) {
    const subject = subjects[i] as number
    at = put(written, at, opening)
    at = putText(written, at, texts, subject)
    at = put(written, at, label)
    at = putText(written, at, texts, labels[subject] as number)
    at = put(written, at, count)
    at = putDigits(written, at, counts[subject] as number, digitsOf(counts[subject] as number))
    at = put(written, at, start)
    at = putTime(written, at, oldest[subject] as number)
    at = put(written, at, end)
    at = putTime(written, at, newest[subject] as number)
    at = put(written, at, closing)
  }
}

/** How many bytes some rows take. */
function sizeOf({ counts, labels, numbers: { texts } }: SubjectCounts, subjects: Uint32Array): number {
  let size = 0
  for (let i = 0; i < subjects.length; i += 1) {
    const subject = subjects[i] as number
    size +=
      keysLength +
      2 * timeLength +
      digitsOf(counts[subject] as number) +
      texts.writtenLength(subject) +
      texts.writtenLength(labels[subject] as number)
  }
  return size
}

function put(written: Uint8Array, at: number, bytes: Uint8Array): number {
  for (let i = 0; i < bytes.length; i += 1) written[at + i] = bytes[i] as number
  return at + bytes.length
}

const quote = 0x22

function putText(written: Buffer, at: number, texts: Register, number: number): number {
  if (!texts.isPlain(number)) return at + written.write(JSON.stringify(texts.at(number)), at)
  written[at] = quote
  const end = texts.copy(number, written, at + 1)
  written[end] = quote
  return end + 1
}
