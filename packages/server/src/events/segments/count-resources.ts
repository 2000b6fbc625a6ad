import type { Db } from '../../storage/database.ts'
import type { Criteria } from '../criteria.ts'
import type { ResourceIds } from './resource-ids.ts'
import { scanSegments } from './scan.ts'
import { segmentIndexOf } from './segment-index.ts'
import { growArray } from './typed-arrays.ts'

/** How often something happened to each subject, by their numbers. */
export interface ResourceCounts {
  readonly resourceIds: ResourceIds
  readonly counts: Uint32Array
  readonly oldest: Float64Array
  readonly newest: Float64Array
  /** The number of what it was called last, or of its id. */
  readonly displayNames: Uint32Array
}

export async function countResourcesInSegments(db: Db, criteria: Criteria): Promise<ResourceCounts> {
  const resourceIds = segmentIndexOf(db).resourceIds()
  const { strings: texts } = resourceIds
  let counts = new Uint32Array(texts.count)
  let oldest = new Float64Array(texts.count)
  let newest = new Float64Array(texts.count)
  let positions = new Float64Array(texts.count)
  let labels = new Uint32Array(texts.count)
  for await (const { segment, mask } of scanSegments(db, criteria)) {
    const { columns, first } = segment
    const { resources: subjects, displayNames: calls } = resourceIds.forColumns(columns)
    counts = growArray(counts, texts.count)
    oldest = growArray(oldest, texts.count)
    newest = growArray(newest, texts.count)
    positions = growArray(positions, texts.count)
    labels = growArray(labels, texts.count)
    for (let i = 0; i < mask.length; i += 1) {
      if (mask[i] === 0) continue
      const subject = subjects[columns.resources[i] as number] as number
      const time = columns.occurred[i] as number
      const position = (columns.positions[i] as number) + first
      const before = counts[subject] as number
      counts[subject] = before + 1
      if (before === 0 || time < (oldest[subject] as number)) oldest[subject] = time
      if (before > 0 && (time - (newest[subject] as number) || position - (positions[subject] as number)) < 0) continue
      newest[subject] = time
      positions[subject] = position
      const call = calls[columns.displayNames[i] as number] as number
      labels[subject] = call === 0 ? subject : call - 1
    }
  }
  return { resourceIds, counts, oldest, newest, displayNames: labels }
}

/** The subjects that were found, the most frequent first, then by what they are called. */
export function sortByFrequency({ resourceIds, counts, displayNames: labels }: ResourceCounts): Uint32Array {
  const { found, most } = collectCounted(counts)
  const inOrder = sortByDisplayName(resourceIds, found, labels)
  // Two numbers in one, and no function that compares them: a tenth of the time.
  const keys = new Float64Array(inOrder.length)
  for (let i = 0; i < keys.length; i += 1) keys[i] = (most - (counts[inOrder[i] as number] as number)) * keys.length + i
  keys.sort()
  const sorted = new Uint32Array(keys.length)
  for (let i = 0; i < keys.length; i += 1)
    sorted[i] = inOrder[(keys[i] as number) - Math.floor((keys[i] as number) / keys.length) * keys.length] as number
  return sorted
}

function collectCounted(counts: Uint32Array): { found: Uint32Array; most: number } {
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

function sortByDisplayName(resourceIds: ResourceIds, found: Uint32Array, labels: Uint32Array): Uint32Array {
  // How many have a label, then where those that have it begin.
  const starts = new Uint32Array(resourceIds.strings.count)
  for (const subject of found) {
    const label = labels[subject] as number
    starts[label] = (starts[label] as number) + 1
  }
  let start = 0
  const wanted = new Uint32Array(found.length)
  for (let i = 0; i < found.length; i += 1) wanted[i] = labels[found[i] as number] as number
  for (const label of resourceIds.order.sorted(wanted)) {
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
