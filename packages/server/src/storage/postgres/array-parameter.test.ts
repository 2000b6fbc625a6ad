import fc from 'fast-check'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { emptyPostgres } from '../../../test/databases.ts'
import type { ColumnKind } from '../tables.ts'
import { arrayParameter } from './array-parameter.ts'
import { columnTypes } from './row-statements.ts'

let client: pg.Client
let drop: () => Promise<void>

beforeAll(async () => {
  const fresh = await emptyPostgres()
  drop = fresh.drop
  client = new pg.Client({ connectionString: fresh.url })
  await client.connect()
})
afterAll(async () => {
  await client.end()
  await drop()
})

/** The elements as PostgreSQL reads them, as text. */
async function stored(kind: ColumnKind, values: Parameters<typeof arrayParameter>[1]): Promise<(string | null)[]> {
  const text = `select element::text from unnest($1::${columnTypes[kind]}[]) with ordinality as given(element, n) order by n`
  const { rows } = await client.query({ text, values: [arrayParameter(kind, values)], rowMode: 'array' })
  return rows.map(([element]) => element)
}

const orNull = <T>(value: fc.Arbitrary<T>) => fc.array(fc.option(value), { maxLength: 5 })
const integers = fc.oneof(
  fc.maxSafeInteger(),
  fc.integer(),
  fc.constantFrom(0, -1, 2 ** 31, -(2 ** 31), 2 ** 32, -(2 ** 32), 2 ** 53 - 1, 1 - 2 ** 53),
)

test('sends integers of 53 bits', () =>
  fc.assert(
    fc.asyncProperty(orNull(integers), async (values) => {
      expect(await stored('int', values)).toEqual(values.map((value) => (value === null ? null : String(value === 0 ? 0 : value))))
    }),
  ))

test('sends text and JSON as they are', () => {
  const text = fc.string({ unit: 'binary' }).filter((value) => !value.includes('\0'))
  return fc.assert(
    fc.asyncProperty(orNull(text), async (values) => {
      expect(await stored('text', values)).toEqual(values)
      const json = values.map((value) => (value === null ? null : JSON.stringify({ a: value })))
      expect(await stored('json', json)).toEqual(json)
    }),
  )
})

test('sends booleans, reals and ids', async () => {
  expect(await stored('bool', [true, null, false])).toEqual(['true', null, 'false'])
  expect(await stored('real', [1.5, null, -2e-9])).toEqual(['1.5', null, '-2e-09'])
  expect(await stored('uuid', ['00000000-0000-4000-8000-000000000001', null])).toEqual(['00000000-0000-4000-8000-000000000001', null])
})

test('leaves a number that is no integer to PostgreSQL, which rejects it', async () => {
  await expect(stored('int', [1.5])).rejects.toThrow('invalid input syntax for type bigint')
})
