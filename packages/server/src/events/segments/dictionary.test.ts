import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decodeColumns, encodeColumns } from './column-codec.ts'
import { buildDictionary, Dictionary, prepareLookup } from './dictionary.ts'

const texts = fc.array(fc.string({ unit: fc.constantFrom('a', 'b', '.', 'ü', '木', '\uff5e', '🦫'), maxLength: 5 }), { maxLength: 40 })

test('finds texts exactly and by prefix', () => {
  fc.assert(
    fc.property(texts, fc.string({ unit: fc.constantFrom('a', 'b', '.', 'ü', '\uff5e', '🦫'), maxLength: 3 }), (given, wanted) => {
      const { ends, bytes } = buildDictionary(given)
      const words = new Dictionary(ends, bytes)
      const all = Array.from({ length: words.count }, (_, index) => words.at(index))
      expect(new Set(all)).toEqual(new Set(given))
      expect(words.find(wanted)).toBe(all.indexOf(wanted))
      expect(all.slice(...words.prefixRange(wanted))).toEqual(all.filter((word) => word.startsWith(wanted)))
    }),
  )
})

test('finds many texts at once', () => {
  fc.assert(
    fc.property(texts, texts, (given, wanted) => {
      const { ends, bytes } = buildDictionary(given)
      const words = new Dictionary(ends, bytes)
      const found = new Set(words.findAll(prepareLookup(wanted)).map((place) => words.at(place)))
      expect(found).toEqual(new Set(given).intersection(new Set(wanted)))
    }),
  )
})

test('decodes columns from bytes at any offset', () => {
  const columns = [Uint8Array.of(1, 2, 3), Uint16Array.of(65535), new Uint32Array(), Float64Array.of(1_900_000_000_000_001, -1)]
  const packed = encodeColumns(columns)
  const uneven = new Uint8Array(packed.length + 3)
  uneven.set(packed, 3)
  for (const bytes of [packed, uneven.subarray(3)]) expect(decodeColumns(bytes)).toEqual(columns)
})

test('rejects columns of another layout version', () => {
  const packed = encodeColumns([Uint8Array.of(1)])
  packed[0] = 200
  expect(decodeColumns(packed)).toBeUndefined()
})
