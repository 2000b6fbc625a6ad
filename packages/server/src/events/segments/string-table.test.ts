import fc from 'fast-check'
import { expect, test } from 'vitest'
import { StringTable } from './string-table.ts'

const text = fc.string({ unit: fc.constantFrom('a', 'b', '"', '\\', '\n', 'ü', '🦫'), maxLength: 6 })

test('assigns one id per string and returns the string by id', () => {
  fc.assert(
    fc.property(fc.array(text, { maxLength: 60 }), (texts) => {
      const stringTable = new StringTable(7)
      const numbers = texts.map((one) => {
        const bytes = Buffer.from(`>${one}<`)
        return stringTable.intern(bytes, 1, bytes.length - 1)
      })
      const known = [...new Set(texts)]
      expect(numbers).toEqual(texts.map((one) => known.indexOf(one)))
      expect(Array.from({ length: stringTable.count }, (_, number) => stringTable.at(number))).toEqual(known)
      for (const [number, one] of known.entries()) {
        expect(stringTable.jsonLength(number)).toBe(Buffer.byteLength(JSON.stringify(one)))
        expect(stringTable.needsNoEscape(number)).toBe(JSON.stringify(one) === `"${one}"`)
      }
    }),
  )
})

test('grows on demand', () => {
  const stringTable = new StringTable(7)
  const bytesOf = (n: number) => Buffer.from(`a resource whose id is not short at all, number ${n}`)
  for (let n = 0; n < 20_000; n += 1) expect(stringTable.intern(bytesOf(n), 0, bytesOf(n).length)).toBe(n)
  for (let n = 0; n < 20_000; n += 777) expect(stringTable.intern(bytesOf(n), 0, bytesOf(n).length)).toBe(n)
  expect(stringTable.at(19_999)).toMatch(/number 19999$/)
})
