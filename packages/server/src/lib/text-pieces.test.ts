import fc from 'fast-check'
import { expect, test } from 'vitest'
import { quoteInPieces, quoteWhileReading, splitText } from './text-pieces.ts'

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

test('a text that is read in parts has the same JSON', async () => {
  await fc.assert(
    fc.asyncProperty(fc.oneof(fc.constant(''), long), async (text) => {
      // Databases count characters, not UTF-16 units.
      const characters = [...text.toWellFormed()]
      const pieces = await Array.fromAsync(quoteWhileReading(async (from, count) => characters.slice(from, from + count).join('')))
      expect(pieces.join('')).toBe(JSON.stringify(characters.join('')))
    }),
    { numRuns: 30 },
  )
})

test('a text that is gone is null, and one that is removed while it is read ends there', async () => {
  const read = (texts: readonly string[]) => async (from: number, count: number) => texts[from / count] ?? null
  expect((await Array.fromAsync(quoteWhileReading(read([])))).join('')).toBe('null')
  const first = 'x'.repeat(120 * 1024)
  expect((await Array.fromAsync(quoteWhileReading(read([first])))).join('')).toBe(JSON.stringify(first))
})
