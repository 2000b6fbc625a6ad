import { formatTime, type Micros } from '../../lib/time.ts'
import { othersFirst } from '../others-first.ts'
import { dayMicros } from '../spans.ts'
import { byFrequency, type SubjectCounts } from './count-subjects.ts'
import type { Register } from './register.ts'

/** What a row has beside its texts at most: keys, two times, a number. */
const restMax = 200
const rowsAtOnce = 8192

const [opening, label, count, start, end, closing] = ['{"value":', ',"label":', ',"count":', ',"start_time":"', '","end_time":"', '"},'].map((text) =>
  Buffer.from(text),
) as [Buffer, Buffer, Buffer, Buffer, Buffer, Buffer]

/**
 * The counts of subjects as JSON, the most frequent first. Written as bytes right from the numbers: there may be as many rows as there are events, and
 * made of objects and strings an answer of 200,000 took two seconds and half a gigabyte.
 */
export async function writeCounts(counted: SubjectCounts): Promise<string> {
  const subjects = byFrequency(counted)
  const { counts, oldest, newest, labels, numbers } = counted
  const row = new RowWriter(numbers.texts)
  const pieces: string[] = []
  for (let from = 0; from < subjects.length; from += rowsAtOnce) {
    for (const subject of subjects.subarray(from, from + rowsAtOnce)) {
      row.room(subject, labels[subject] as number)
      row.write(opening)
      row.text(subject)
      row.write(label)
      row.text(labels[subject] as number)
      row.write(count)
      row.number(counts[subject] as number)
      row.write(start)
      row.time(oldest[subject] as number)
      row.write(end)
      row.time(newest[subject] as number)
      row.write(closing)
    }
    pieces.push(row.take())
    await othersFirst()
  }
  return `[${pieces.join('').slice(0, -1)}]`
}

const quote = 0x22
const digit = 0x30

class RowWriter {
  readonly #texts: Register
  #bytes = Buffer.allocUnsafeSlow(1 << 20)
  #at = 0
  readonly #dates = new Map<number, Buffer>()

  constructor(texts: Register) {
    this.#texts = texts
  }

  /** Makes sure that a row with two texts fits. */
  room(one: number, other: number): void {
    // A byte of a control character becomes six.
    const needed = this.#at + 6 * (this.#texts.lengthOf(one) + this.#texts.lengthOf(other)) + restMax
    if (needed <= this.#bytes.length) return
    const bytes = Buffer.allocUnsafeSlow(Math.max(needed, this.#bytes.length * 2))
    this.#bytes.copy(bytes, 0, 0, this.#at)
    this.#bytes = bytes
  }

  write(given: Uint8Array): void {
    const bytes = this.#bytes
    for (let i = 0; i < given.length; i += 1) bytes[this.#at + i] = given[i] as number
    this.#at += given.length
  }

  text(number: number): void {
    this.#bytes[this.#at] = quote
    const end = this.#texts.copy(number, this.#bytes, this.#at + 1)
    if (isPlain(this.#bytes, this.#at + 1, end)) {
      this.#bytes[end] = quote
      this.#at = end + 1
    } else this.#at += this.#bytes.write(JSON.stringify(this.#texts.at(number)), this.#at)
  }

  /** Whole and not negative. */
  number(value: number): void {
    let digits = 1
    for (let rest = value; rest >= 10; rest = Math.floor(rest / 10)) digits += 1
    this.#digits(value, digits)
  }

  time(time: Micros): void {
    const day = Math.floor(time / dayMicros)
    this.write(this.#dateOf(day))
    const micros = time - day * dayMicros
    const seconds = Math.floor(micros / 1_000_000)
    const minutes = Math.floor(seconds / 60)
    const hours = Math.floor(minutes / 60)
    this.#digits(hours, 2)
    this.#byte(0x3a)
    this.#digits(minutes - hours * 60, 2)
    this.#byte(0x3a)
    this.#digits(seconds - minutes * 60, 2)
    this.#byte(0x2e)
    this.#digits(micros - seconds * 1_000_000, 6)
    this.#byte(0x5a)
  }

  #dateOf(day: number): Buffer {
    const known = this.#dates.get(day)
    if (known) return known
    const date = Buffer.from(formatTime(day * dayMicros).slice(0, -'00:00:00.000000Z'.length))
    this.#dates.set(day, date)
    return date
  }

  #byte(byte: number): void {
    this.#bytes[this.#at] = byte
    this.#at += 1
  }

  /** What was written, and begins anew. */
  take(): string {
    const text = this.#bytes.toString('utf8', 0, this.#at)
    this.#at = 0
    return text
  }

  #digits(value: number, many: number): void {
    const bytes = this.#bytes
    let rest = value
    for (let i = many - 1; i >= 0; i -= 1) {
      const tenth = Math.floor(rest / 10)
      bytes[this.#at + i] = digit + rest - tenth * 10
      rest = tenth
    }
    this.#at += many
  }
}

/** Whether JSON writes a text as it is. */
function isPlain(bytes: Uint8Array, from: number, to: number): boolean {
  for (let i = from; i < to; i += 1) {
    const byte = bytes[i] as number
    if (byte < 0x20 || byte === quote || byte === 0x5c) return false
  }
  return true
}
