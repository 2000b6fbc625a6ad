import fc from 'fast-check'
import { expect, test } from 'vitest'
import { blocks, Grams } from './grams.ts'

const text = fc.string({ unit: fc.constantFrom('a', 'b', 'ü', '木', '0', ' ', '"'), maxLength: 30 })

test('never denies a text that is there', () => {
  fc.assert(
    fc.property(fc.array(text, { minLength: 1, maxLength: blocks }), fc.nat(), fc.nat(), fc.nat(), (texts, which, from, length) => {
      const grams = new Grams()
      for (const [block, payload] of texts.entries()) grams.addPayload(block, payload)
      for (const label of texts) grams.addLabel(label)
      const block = which % texts.length
      const whole = texts[block] as string
      const start = from % (whole.length + 1)
      const part = whole.slice(start, start + length)
      expect((grams.blocksWith(part) >>> block) & 1).toBe(1)
      expect(grams.mayLabel(part)).toBe(true)
    }),
  )
})

test('denies what is not there, and tells the blocks apart', () => {
  const grams = new Grams()
  grams.addPayload(0, 'a treasure')
  grams.addPayload(31, 'another treasure')
  grams.addLabel('a flow')
  expect(grams.blocksWith('treasure')).toBe(0x80000001)
  expect(grams.blocksWith('another')).toBe(0x80000000)
  expect(grams.blocksWith('treason')).toBe(0)
  expect([grams.mayLabel('flow'), grams.mayLabel('flew')]).toEqual([true, false])
})
