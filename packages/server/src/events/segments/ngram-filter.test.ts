import fc from 'fast-check'
import { expect, test } from 'vitest'
import { NgramFilter } from './ngram-filter.ts'

const text = fc.string({ unit: fc.constantFrom('a', 'b', 'ü', '木', '0', ' ', '"'), maxLength: 30 })

test('never excludes a text that is present', () => {
  fc.assert(
    fc.property(fc.array(text, { minLength: 1, maxLength: 32 }), fc.nat(), fc.nat(), fc.nat(), (texts, which, from, length) => {
      const filter = new NgramFilter(1)
      for (const [block, payload] of texts.entries()) filter.addPayload(block, payload)
      for (const label of texts) filter.addLabel(label)
      const block = which % texts.length
      const whole = texts[block] as string
      const start = from % (whole.length + 1)
      const part = whole.slice(start, start + length)
      expect((filter.candidateBlocks(part) >>> block) & 1).toBe(1)
      expect(filter.mayContainLabel(part)).toBe(true)
    }),
  )
})

test('excludes a missing text and distinguishes blocks', () => {
  const filter = new NgramFilter(1)
  filter.addPayload(0, 'a treasure')
  filter.addPayload(31, 'another treasure')
  filter.addLabel('a flow')
  expect(filter.candidateBlocks('treasure')).toBe(0x80000001)
  expect(filter.candidateBlocks('another')).toBe(0x80000000)
  expect(filter.candidateBlocks('treason')).toBe(0)
  expect([filter.mayContainLabel('flow'), filter.mayContainLabel('flew')]).toEqual([true, false])
})
