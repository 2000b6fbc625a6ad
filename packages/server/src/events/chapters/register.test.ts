import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Register } from './register.ts'

const text = fc.string({ unit: fc.constantFrom('a', 'b', '"', '\\', '\n', 'ü', '🦫'), maxLength: 6 })

test('a text has one number, whatever came in between, and is given back by it', () => {
  fc.assert(
    fc.property(fc.array(text, { maxLength: 60 }), (texts) => {
      const register = new Register(7)
      const numbers = texts.map((one) => {
        const bytes = Buffer.from(`>${one}<`)
        return register.numberOf(bytes, 1, bytes.length - 1)
      })
      const known = [...new Set(texts)]
      expect(numbers).toEqual(texts.map((one) => known.indexOf(one)))
      expect(Array.from({ length: register.count }, (_, number) => register.at(number))).toEqual(known)
      for (const [number, one] of known.entries()) {
        expect(register.writtenLength(number)).toBe(Buffer.byteLength(JSON.stringify(one)))
        expect(register.isPlain(number)).toBe(JSON.stringify(one) === `"${one}"`)
      }
    }),
  )
})

test('grows as far as needed', () => {
  const register = new Register(7)
  const bytesOf = (n: number) => Buffer.from(`a resource whose id is not short at all, number ${n}`)
  for (let n = 0; n < 20_000; n += 1) expect(register.numberOf(bytesOf(n), 0, bytesOf(n).length)).toBe(n)
  for (let n = 0; n < 20_000; n += 777) expect(register.numberOf(bytesOf(n), 0, bytesOf(n).length)).toBe(n)
  expect(register.at(19_999)).toMatch(/number 19999$/)
})
