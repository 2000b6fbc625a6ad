import fc from 'fast-check'
import { expect, test } from 'vitest'
import { quoteInPieces, splitText } from './text-pieces.ts'

const long = fc.tuple(fc.string({ unit: 'binary', minLength: 1 }), fc.nat(60_000)).map(([text, times]) => text.repeat(times / text.length))

test('pieces are short, split no character, and are the text again', () => {
  fc.assert(
    fc.property(long, (text) => {
      const pieces = [...splitText(text)]
      expect(pieces.join('')).toBe(text)
      for (const piece of pieces) {
        expect(piece.length).toBeLessThanOrEqual(60 * 1024 + 1)
        expect(Buffer.from(piece).toString()).toBe(piece)
      }
    }),
    { numRuns: 30 },
  )
})

test('quoted pieces are the JSON of the text, also with single surrogates', () => {
  fc.assert(
    fc.property(long, fc.constantFrom('', '\ud800', '"\\\n', '\udc00'), (text, end) => {
      expect([...quoteInPieces(text + end)].join('')).toBe(JSON.stringify(text + end))
    }),
    { numRuns: 30 },
  )
})
