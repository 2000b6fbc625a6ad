import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { EventRow } from '../store.ts'
import { RowBlock, RowBlockWriter } from './row-blocks.ts'

const json = fc.oneof(
  fc.constantFrom('{"b":1.0,"a":12345678901234567890,"b2":1e3}', '{ "spaced" : [ ] }', '"\\u0000\\ud83d\\ude00"', '{"ü":"木😀"}'),
  fc.jsonValue().map((value) => JSON.stringify(value)),
)
const row = fc.record({
  id: fc.uuid(),
  occurred: fc.integer({ min: -1e15, max: 4e15 }),
  received: fc.integer({ min: 0, max: 4e15 }),
  event: fc.string({ unit: 'grapheme', maxLength: 20 }),
  resource_id: fc.string({ unit: 'grapheme', maxLength: 20 }),
  resource: json,
  related: json,
  payload: json,
  follows: fc.option(fc.uuid()),
})

async function readAll(rows: readonly EventRow[]): Promise<{ rows: EventRow[]; sizes: number[] }> {
  const writer = new RowBlockWriter()
  for (const [index, each] of rows.entries()) {
    writer.add(each)
    if (index % 10 === 0) await writer.encodeFull()
  }
  const found: EventRow[] = []
  const sizes: number[] = []
  for (const { start, ids, body } of await writer.finish()) {
    expect(start).toBe(found.length)
    const block = new RowBlock(ids, body)
    sizes.push(block.count)
    for (let index = 0; index < block.count; index += 1) found.push(block.row(index))
  }
  const starts = [...writer.directory()].filter((_, index) => index % 2 === 0)
  expect(starts).toEqual(sizes.map((_, index) => sizes.slice(0, index).reduce((sum, size) => sum + size, 0)))
  return { rows: found, sizes }
}

const at = (position: number, more: Partial<EventRow> = {}): EventRow => ({
  position,
  id: `0198c1c2-aaaa-7bbb-8ccc-${String(position).padStart(12, '0')}`,
  occurred: position,
  received: position,
  event: 'e',
  resource_id: 'r',
  resource: '{"prefect.resource.id":"r"}',
  related: '[]',
  payload: '{}',
  follows: null,
  ...more,
})

test('returns every row as it was', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 40 }), fc.nat({ max: 2 ** 40 }), async (rows, first) => {
      const given = rows.map((each, index) => ({ ...each, position: first + index * 3 }))
      expect((await readAll(given)).rows).toEqual(given)
    }),
    { numRuns: 50 },
  )
})

test('limits a block by events and by bytes', async () => {
  const large = JSON.stringify({ text: 'x'.repeat(1_400_000) })
  const rows = [...Array.from({ length: 300 }, (_, index) => at(index + 1)), at(400, { payload: large }), at(401, { payload: large }), at(402)]
  const read = await readAll(rows)
  expect(read.rows).toEqual(rows)
  expect(read.sizes).toEqual([256, 44, 1, 1, 1])
})

test('finds the first row at or after a position', async () => {
  const writer = new RowBlockWriter()
  for (const position of [3, 5, 9]) writer.add(at(position))
  for (const { ids, body } of await writer.finish()) {
    const block = new RowBlock(ids, body)
    expect([1, 3, 4, 9, 10].map((position) => block.positionAt(block.indexFrom(position)))).toEqual([3, 3, 5, 9, undefined])
  }
})
