import fc from 'fast-check'
import { expect, test } from 'vitest'
import { blockCount, NgramFilter } from './ngram-filter.ts'

const text = fc.string({ unit: fc.constantFrom('a', 'b', 'ü', '木', '0', ' ', '"'), maxLength: 30 })

test('never excludes a text that is present', () => {
  fc.assert(
    fc.property(fc.array(text, { minLength: 1, maxLength: blockCount }), fc.nat(), fc.nat(), fc.nat(), (texts, which, from, length) => {
      const grams = new NgramFilter()
      for (const [block, payload] of texts.entries()) grams.addPayload(block, payload)
      for (const label of texts) grams.addLabel(label)
      const block = which % texts.length
      const whole = texts[block] as string
      const start = from % (whole.length + 1)
      const part = whole.slice(start, start + length)
      expect((grams.candidateBlocks(part) >>> block) & 1).toBe(1)
      expect(grams.mayContainLabel(part)).toBe(true)
    }),
  )
})

test('excludes a missing text and distinguishes blocks', () => {
  const grams = new NgramFilter()
  grams.addPayload(0, 'a treasure')
  grams.addPayload(31, 'another treasure')
  grams.addLabel('a flow')
  expect(grams.candidateBlocks('treasure')).toBe(0x80000001)
  expect(grams.candidateBlocks('another')).toBe(0x80000000)
  expect(grams.candidateBlocks('treason')).toBe(0)
  expect([grams.mayContainLabel('flow'), grams.mayContainLabel('flew')]).toEqual([true, false])
})
