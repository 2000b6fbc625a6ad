import Type from 'typebox'
import { expect, test } from 'vitest'
import type { Fault } from '../errors.ts'
import { queryReader } from './read-query.ts'

const schema = Type.Object({
  client: Type.Optional(Type.String()),
  limit: Type.Optional(Type.Integer({ minimum: 1 })),
  tags: Type.Optional(Type.Union([Type.Array(Type.String()), Type.Null()])),
})

function readAndCatch(query: Record<string, unknown>) {
  const faults: Fault[] = []
  const value = queryReader(schema)(query, ['query'], faults)
  return faults.length > 0 ? faults.map(({ type }) => type) : value
}

test.each([
  [{ client: 'a' }, { client: 'a' }],
  [{ client: ['a', 'b', 'c'] }, { client: 'c' }],
  [{ limit: ['x', '3'] }, { limit: 3 }],
  [{ limit: ['3', 'x'] }, ['int_parsing']],
  [{ tags: ['a', 'b'] }, { tags: ['a', 'b'] }],
  [{ tags: 'a' }, { tags: ['a'] }],
  [{ unknown: ['a', 'b'] }, {}],
])('reads %j as %j', (query, expected) => {
  expect(readAndCatch(query)).toEqual(expected)
})
