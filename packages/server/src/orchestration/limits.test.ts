import { expect, test } from 'vitest'
import { describeHolders } from './limits.ts'

test.each([
  [[], 'held by nobody'],
  [['a'], 'held by a'],
  [['a', 'b', 'c'], 'held by a, b, c'],
  [['a', 'b', 'c', 'd', 'e'], 'held by a, b, c and 2 more'],
])('%o', (holders, text) => {
  expect(describeHolders(holders)).toBe(text)
})
