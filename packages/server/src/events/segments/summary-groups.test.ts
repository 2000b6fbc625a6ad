import { expect, test } from 'vitest'
import type { SegmentRef } from './segment-store.ts'
import { mergeSummaries, type SummaryEntry } from './summary.ts'
import { SummaryGroups } from './summary-groups.ts'

const entry = (quarter: number, name: string, count: number, oldest: number, newest: number): SummaryEntry => ({
  quarter,
  name,
  count,
  oldest,
  newest,
})

test('adds up entries of the same name and quarter hour', () => {
  const summaries = [[entry(0, 'a', 1, 5, 6), entry(900, 'a', 2, 900, 950)], [], [entry(0, 'a', 4, 3, 5), entry(0, 'b', 8, 1, 1)]]
  expect(mergeSummaries(summaries)).toEqual([entry(0, 'a', 5, 3, 6), entry(900, 'a', 2, 900, 950), entry(0, 'b', 8, 1, 1)])
})

const refs = (count: number): SegmentRef[] =>
  Array.from({ length: count }, (_, index) => ({
    key: `segment ${index + 1}`,
    kind: 'stored',
    id: index + 1,
    first: index * 10,
    last: index * 10 + 9,
    count: 10,
    oldest: index * 100,
    newest: index * 100 + 99,
    blocks: new Uint32Array(),
    isPartial: false,
  }))
const always = { since: 0, until: 1e9 }

test('does not add up events of very many names', async () => {
  const groups = new SummaryGroups()
  let reads = 0
  const read = async (wanted: readonly SegmentRef[]) => {
    reads += 1
    return wanted.map(({ id, oldest, newest }) => Array.from({ length: 50 }, (_, n) => entry(0, `name ${id} ${n}`, 1, oldest, newest)))
  }
  const stored = refs(70)
  for (let round = 0; round < 2; round += 1) {
    const found = await groups.within(always, stored, read)
    expect([found.groups.length, found.others.length]).toEqual([0, 70])
  }
  expect(reads).toBe(1)
})

test('leaves segments of an older format out', async () => {
  const groups = new SummaryGroups()
  const stored = refs(70).map((ref): SegmentRef => (ref.id <= 10 ? { ...ref, kind: 'legacy' } : ref))
  const found = await groups.within(always, stored, async (wanted) => wanted.map(({ oldest, newest }) => [entry(0, 'a', 10, oldest, newest)]))
  expect(found.groups.map(({ refs, summary }) => [refs.length, summary])).toEqual([[53, [entry(0, 'a', 530, 1000, 6299)]]])
  expect(found.others.length).toBe(17)
})
