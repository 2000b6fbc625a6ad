import fc from 'fast-check'
import { expect, test } from 'vitest'
import { formatTime } from '../../lib/time.ts'
import { type ResourceCounts, sortByFrequency } from './count-resources.ts'
import { streamCountsJson } from './counts-json.ts'
import { ResourceIds } from './resource-ids.ts'

interface Row {
  readonly value: string
  readonly label: string
  readonly count: number
  readonly oldest: number
  readonly newest: number
}

const text = fc.string({ unit: fc.constantFrom('a', 'b', 'z', '"', '\\', '\t', 'ü', '木'), minLength: 1, maxLength: 5 })
const time = fc.integer({ min: 1_800_000_000_000_000, max: 2_000_000_000_000_000 })
const rows = fc.uniqueArray(fc.record({ value: text, label: text, count: fc.nat({ max: 3 }), oldest: time, newest: time }), {
  selector: ({ value }) => value,
  maxLength: 30,
})

const internId = ({ strings: texts }: ResourceIds, given: string): number => texts.intern(Buffer.from(given), 0, Buffer.byteLength(given))

/** The result of `countResourcesInSegments`; a resource with count 0 was not found. */
function toResourceCounts(resourceIds: ResourceIds, found: readonly Row[]): ResourceCounts {
  const subjects = found.map(({ value }) => internId(resourceIds, value))
  const labels = found.map(({ label }) => internId(resourceIds, label))
  const { count } = resourceIds.strings
  const all = {
    resourceIds,
    counts: new Uint32Array(count),
    oldest: new Float64Array(count),
    newest: new Float64Array(count),
    displayNames: new Uint32Array(count),
  }
  for (const [index, row] of found.entries()) {
    const subject = subjects[index] as number
    all.counts[subject] = row.count
    all.oldest[subject] = row.oldest
    all.newest[subject] = row.newest
    all.displayNames[subject] = labels[index] as number
  }
  return all
}

const parseStreamedCounts = async (counts: ResourceCounts) =>
  JSON.parse(Buffer.concat(await Array.fromAsync(streamCountsJson(counts, sortByFrequency(counts)))).toString())

const expectedCounts = (found: readonly Row[]) =>
  found
    .filter(({ count }) => count > 0)
    .map(({ value, label, count, oldest, newest }) => ({
      value,
      label,
      count,
      start_time: formatTime(oldest),
      end_time: formatTime(newest),
    }))

const byValue = <T extends { value: string }>(answer: readonly T[]): T[] => answer.toSorted((a, b) => (a.value < b.value ? -1 : 1))

const countAndLabel = (answer: readonly { count: number; label: string }[]) => answer.map(({ count, label }) => [count, label])

test('sorts by frequency, then by display name, independent of earlier requests', async () => {
  await fc.assert(
    fc.asyncProperty(rows, rows, async (before, found) => {
      const resourceIds = new ResourceIds()
      await parseStreamedCounts(toResourceCounts(resourceIds, before))
      const answer = await parseStreamedCounts(toResourceCounts(resourceIds, found))
      expect(byValue(answer)).toEqual(byValue(expectedCounts(found)))
      const sorted = expectedCounts(found).sort((a, b) => b.count - a.count || (a.label < b.label ? -1 : a.label > b.label ? 1 : 0))
      expect(countAndLabel(answer)).toEqual(countAndLabel(sorted))
    }),
  )
})

test('streams many rows as one list', async () => {
  const found = Array.from({ length: 5000 }, (_, n) => ({ value: `id ${n}`, label: `call ${n % 10}`, count: 1 + (n % 3), oldest: n, newest: 2 * n }))
  const counts = toResourceCounts(new ResourceIds(), found)
  const pieces = await Array.fromAsync(streamCountsJson(counts, sortByFrequency(counts)))
  expect(pieces.length).toBeGreaterThan(4)
  expect(byValue(JSON.parse(Buffer.concat(pieces).toString()))).toEqual(byValue(expectedCounts(found)))
})
