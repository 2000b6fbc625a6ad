import { expect, test } from 'vitest'
import { describeFullLimit, describeHolders } from './limits.ts'

test.each([
  [['a'], 'held by a'],
  [['a', 'b', 'c'], 'held by a, b, c'],
  [['a', 'b', 'c', 'd', 'e'], 'held by a, b, c and 2 more'],
])('lists the first holders of %o', (holders, text) => {
  expect(describeHolders(holders)).toBe(text)
})

test.each([
  ['a full limit', { active: true, holders: ['a'] }, 'Concurrency limit gpu has no free slot (1 in total, held by a)'],
  ['a limit without holders', { active: true, holders: [] }, 'Concurrency limit gpu has no free slot (1 in total)'],
  ['an inactive limit', { active: false, holders: ['a'] }, 'Concurrency limit gpu is not active'],
])('describes %s', (_name, usage, text) => {
  expect(describeFullLimit('gpu', { slots: 1, free: 0, ...usage })).toBe(text)
})
