import { expect, test } from 'vitest'
import { flowsBody, readFlowsSearch } from './flows-search.ts'

test('builds the filter from the URL and ignores unknown values', () => {
  const search = readFlowsSearch({ name: 'etl', tag: ['a', 'b'], sort: 'newest', page: '3', other: 'x' })
  expect(search).toEqual({ name: 'etl', tag: ['a', 'b'], sort: 'newest', page: 3 })
  expect(flowsBody(search, 50)).toEqual({
    page: 3,
    limit: 50,
    sort: 'CREATED_DESC',
    flows: { name: { like_: 'etl' }, tags: { all_: ['a', 'b'] } },
  })
  expect(readFlowsSearch({ sort: 'odd', page: '1' })).toEqual({})
  expect(flowsBody({}, 50)).toEqual({ page: 1, limit: 50, sort: 'NAME_ASC' })
})
