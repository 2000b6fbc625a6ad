import { expect, test } from 'vitest'
import { readVariablesSearch, variablesFilter } from './variables-search.ts'

test('reads the filters from the URL', () => {
  const search = readVariablesSearch({ name: 'size', tag: 'prod', sort: 'newest', page: '2' })
  expect(search).toEqual({ name: 'size', tag: ['prod'], sort: 'newest', page: 2 })
  expect(variablesFilter(search)).toEqual({ variables: { name: { like_: 'size' }, tags: { all_: ['prod'] } } })
  expect(variablesFilter(readVariablesSearch({ sort: 'odd' }))).toEqual({})
})
