import { describe, expect, test } from 'vitest'
import { createIdGenerator, idAt, parseUuid } from './ids.ts'
import { seededRandom } from './random.ts'

describe('an id', () => {
  test('is a unique UUIDv7 that sorts by age even within a microsecond', () => {
    const newId = createIdGenerator({ now: () => 1_900_000_000_123_456 }, seededRandom(1))
    const ids = Array.from({ length: 5000 }, newId)
    expect(new Set(ids).size).toBe(5000)
    expect(ids.every((id) => /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(id))).toBe(true)
    expect([...ids].sort((a, b) => (a.slice(0, 18) < b.slice(0, 18) ? -1 : 1)).map((id) => id.slice(0, 18))).toEqual(ids.map((id) => id.slice(0, 18)))
  })

  test('from a given id is always the same, and sorts by its time', () => {
    const [one, other] = ['0198c1c2-aaaa-7bbb-8ccc-000000000000', '0198c1c2-aaaa-7bbb-8ccc-000000000001']
    expect(idAt(1_900_000_000_123_456, one)).toBe(idAt(1_900_000_000_123_999, one))
    expect(idAt(1_900_000_000_123_456, one)).not.toBe(idAt(1_900_000_000_123_456, other))
    expect(idAt(1_900_000_000_123_456, one) < idAt(1_900_000_000_124_000, other)).toBe(true)
    for (const time of [-1, 0, 1_900_000_000_123_456, Number.MAX_SAFE_INTEGER])
      expect(idAt(time, one)).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/)
  })

  test.each([
    ['0198C1C2-AAAA-7BBB-8CCC-000000000000', '0198c1c2-aaaa-7bbb-8ccc-000000000000'],
    ['0198c1c2aaaa7bbb8ccc000000000000', '0198c1c2-aaaa-7bbb-8ccc-000000000000'],
    ['{0198c1c2-aaaa-7bbb-8ccc-000000000000}', '0198c1c2-aaaa-7bbb-8ccc-000000000000'],
    ['urn:uuid:0198c1c2-aaaa-7bbb-8ccc-000000000000', '0198c1c2-aaaa-7bbb-8ccc-000000000000'],
    ['not-an-id', undefined],
    ['{0198c1c2-aaaa-7bbb-8ccc-000000000000', undefined],
    ['0198c1c2-aaaa-7bbb-8ccc-000000000000}', undefined],
    ['{0198c1c2aaaa7bbb8ccc000000000000}', undefined],
    ['urn:uuid:0198c1c2aaaa7bbb8ccc000000000000', undefined],
    ['urn:uuid:{0198c1c2-aaaa-7bbb-8ccc-000000000000}', undefined],
    ['', undefined],
  ])('is read from %s as %s', (text, wanted) => {
    expect(parseUuid(text)).toBe(wanted)
  })
})
