import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { endOfString, isRoundTripSafe } from './json-round-trip.ts'

describe('isRoundTripSafe', () => {
  test.each([
    '{"a":1}',
    '[0,-1,2.5,123456789012345]',
    '"1"',
    '["10","2"]',
    '{"a1":"1.0","b":"1e5"}',
    '{"01":1}',
    '[]',
    'true',
    '{"a":"\\"1\\":"}',
    '{"a":"\\n"}',
  ])('accepts %s', (text) => expect(isRoundTripSafe(text)).toBe(true))

  test.each([
    '1',
    ' -1',
    '[1.0]',
    '[1e5]',
    '[-0]',
    '[1234567890123456]',
    '{"1":1}',
    '{"0" :1}',
    '{"4294967294":1}',
    '{"__proto__":1}',
    '["\\\\",1.0]',
  ])('rejects %s', (text) => expect(isRoundTripSafe(text)).toBe(false))

  /** JSON texts in all relevant spellings, without blanks and without duplicate keys. */
  const number = fc.oneof(
    fc.integer().map(String),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => JSON.stringify(value)),
    fc.tuple(fc.integer(), fc.nat(999)).map(([whole, part]) => `${whole}.${part}`),
    fc.tuple(fc.nat(99), fc.integer({ min: -9, max: 9 })).map(([value, exponent]) => `${value}e${exponent}`),
    fc.bigInt({ min: -(10n ** 25n), max: 10n ** 25n }).map(String),
    fc.constantFrom('-0', '0', '-0.5', '0.10'),
  )
  const word = fc
    .oneof(fc.string({ maxLength: 6 }), fc.nat(12).map(String), fc.constantFrom('"', '\\', '\\"', '1":', '__proto__', ':', '[1.0'))
    .map((value) => JSON.stringify(value))
  const { text } = fc.letrec<{ text: string; list: string; object: string }>((tie) => ({
    text: fc.oneof({ depthSize: 'small' }, number, word, tie('list'), tie('object')),
    list: fc.array(tie('text'), { maxLength: 4 }).map((items) => `[${items.join(',')}]`),
    object: fc
      .uniqueArray(fc.tuple(word, tie('text')), { maxLength: 4, selector: ([key]) => key })
      .map((fields) => `{${fields.map(([key, value]) => `${key}:${value}`).join(',')}}`),
  }))

  test('accepts only texts that round-trip', () => {
    fc.assert(
      fc.property(text, (sent) => {
        if (isRoundTripSafe(sent)) expect(JSON.stringify(JSON.parse(sent))).toBe(sent)
      }),
      { numRuns: 3000 },
    )
  })
})

test('ends a string at its first unescaped quote', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('"', '\\', 'a', '\n') }), (value) => {
      const written = JSON.stringify(value)
      expect(endOfString(`${written},"next"`, 0)).toBe(written.length - 1)
    }),
  )
  expect(endOfString('"open\\"', 0)).toBe(-1)
})
