import type { Db } from '../../storage/database.ts'
import type { Criteria } from '../criteria.ts'
import { askChapters } from './ask.ts'
import { larger } from './larger.ts'
import { shelfOf } from './shelf.ts'
import type { SubjectNumbers } from './subject-numbers.ts'

/** How often something happened to each subject, by their numbers. */
export interface SubjectCounts {
  readonly numbers: SubjectNumbers
  readonly counts: Uint32Array
  readonly oldest: Float64Array
  readonly newest: Float64Array
  /** The number of what it was called last, or of its id. */
  readonly labels: Uint32Array
}

export async function countSubjects(db: Db, criteria: Criteria): Promise<SubjectCounts> {
  const numbers = shelfOf(db).subjectNumbers()
  const { texts } = numbers
  let counts = new Uint32Array(texts.count)
  let oldest = new Float64Array(texts.count)
  let newest = new Float64Array(texts.count)
  let positions = new Float64Array(texts.count)
  let labels = new Uint32Array(texts.count)
  for await (const { chapter, marks } of askChapters(db, criteria)) {
    const { columns, first } = chapter
    const { subjects, calls } = numbers.of(columns)
    counts = larger(counts, texts.count)
    oldest = larger(oldest, texts.count)
    newest = larger(newest, texts.count)
    positions = larger(positions, texts.count)
    labels = larger(labels, texts.count)
    for (let i = 0; i < marks.length; i += 1) {
      if (marks[i] === 0) continue
      const subject = subjects[columns.subjects[i] as number] as number
      const time = columns.occurred[i] as number
      const position = (columns.positions[i] as number) + first
      const before = counts[subject] as number
      counts[subject] = before + 1
      if (before === 0 || time < (oldest[subject] as number)) oldest[subject] = time
      if (before > 0 && (time - (newest[subject] as number) || position - (positions[subject] as number)) < 0) continue
      newest[subject] = time
      positions[subject] = position
      const call = calls[columns.calls[i] as number] as number
      labels[subject] = call === 0 ? subject : call - 1
    }
  }
  return { numbers, counts, oldest, newest, labels }
}

/** The subjects that were found, the most frequent first, then by what they are called. */
export function byFrequency({ numbers, counts, labels }: SubjectCounts): Uint32Array {
  const { found, most } = foundOf(counts)
  const inOrder = byLabel(numbers, found, labels)
  // Two numbers in one, and no function that compares them: a tenth of the time.
  const keys = new Float64Array(inOrder.length)
  for (let i = 0; i < keys.length; i += 1) keys[i] = (most - (counts[inOrder[i] as number] as number)) * keys.length + i
  keys.sort()
  const sorted = new Uint32Array(keys.length)
  for (let i = 0; i < keys.length; i += 1)
    sorted[i] = inOrder[(keys[i] as number) - Math.floor((keys[i] as number) / keys.length) * keys.length] as number
  return sorted
}

function foundOf(counts: Uint32Array): { found: Uint32Array; most: number } {
  const found = new Uint32Array(counts.length)
  let [many, most] = [0, 0]
  for (let subject = 0; subject < counts.length; subject += 1) {
    const count = counts[subject] as number
    if (count === 0) continue
    found[many] = subject
    many += 1
    if (count > most) most = count
  }
  return { found: found.subarray(0, many), most }
}

function byLabel(numbers: SubjectNumbers, found: Uint32Array, labels: Uint32Array): Uint32Array {
  // How many have a label, then where those that have it begin.
  const starts = new Uint32Array(numbers.texts.count)
  for (const subject of found) {
    const label = labels[subject] as number
    starts[label] = (starts[label] as number) + 1
  }
  let start = 0
  const wanted = new Uint32Array(found.length)
  for (let i = 0; i < found.length; i += 1) wanted[i] = labels[found[i] as number] as number
  for (const label of numbers.ranks.sorted(wanted)) {
    const many = starts[label] as number
    starts[label] = start
    start += many
  }
  const inOrder = new Uint32Array(found.length)
  for (const subject of found) {
    const label = labels[subject] as number
    inOrder[starts[label] as number] = subject
    starts[label] = (starts[label] as number) + 1
  }
  return inOrder
}
