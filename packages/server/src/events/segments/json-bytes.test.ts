import fc from 'fast-check'
import { expect, test } from 'vitest'
import { formatTime, toMicros } from '../../lib/time.ts'
import { countDigits, timeLength, writeDigits, writeTime } from './json-bytes.ts'

const years = { min: toMicros('1700-01-01T00:00:00Z'), max: toMicros('2250-01-01T00:00:00Z') }

test('writes times like formatTime', () => {
  fc.assert(
    fc.property(fc.integer(years), fc.boolean(), (at, isWholeSecond) => {
      const time = isWholeSecond ? Math.floor(at / 1e6) * 1e6 : at
      const written = Buffer.alloc(timeLength + 1)
      const end = writeTime(written, 1, time)
      expect(written.toString('utf8', 1, end)).toBe(formatTime(time))
    }),
  )
})

test('writes all digits of numbers', () => {
  fc.assert(
    fc.property(fc.oneof(fc.nat(), fc.constantFrom(0, 9, 10, 99, 100, 4_294_967_295)), (value) => {
      const written = Buffer.alloc(20)
      const end = writeDigits(written, 0, value, countDigits(value))
      expect(written.toString('utf8', 0, end)).toBe(String(value))
    }),
  )
})
