import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { SlicedFilter, textKey, uuidKeys } from './sliced-filter.ts'

const candidates = (filter: SlicedFilter, key: number): number[] => {
  const found: number[] = []
  filter.forEachCandidate(key, (slot) => found.push(slot))
  return found
}

test('never misses a segment that contains a key, also after others were removed', () => {
  fc.assert(
    fc.property(fc.array(fc.array(fc.string(), { maxLength: 20 }), { minLength: 1, maxLength: 70 }), fc.nat(), (segments, which) => {
      const filter = new SlicedFilter(1 << 12, 5)
      const slots = segments.map((texts) => filter.addSegment(Uint32Array.from(texts, textKey)))
      const removed = which % segments.length
      filter.removeSegment(slots[removed] as number)
      for (const [index, texts] of segments.entries()) {
        for (const text of index === removed ? [] : texts) expect(candidates(filter, textKey(text))).toContain(slots[index])
      }
      // The slot is used again.
      expect(filter.addSegment(Uint32Array.of(textKey('new')))).toBe(slots[removed])
      expect(candidates(filter, textKey('new'))).toContain(slots[removed])
    }),
    { numRuns: 50 },
  )
})

test('reports few segments that do not contain an id', () => {
  const filter = new SlicedFilter(1 << 17, 8)
  for (let n = 0; n < 40; n += 1) filter.addSegment(uuidKeys(randomBytes(4096 * 16)))
  let wrong = 0
  for (const key of uuidKeys(randomBytes(5000 * 16))) wrong += candidates(filter, key).length
  // About 1 of 200,000 tests.
  expect(wrong).toBeLessThan(12)
})
