import { expect, test } from 'vitest'
import { deploymentIdOf, limitKindOf, readLimitsSearch, tagOfLimit } from './limits-search.ts'

test('derives the limit type from the name', () => {
  expect(limitKindOf({ name: 'database' })).toBe('named')
  expect(limitKindOf({ name: 'tag:wet' })).toBe('tag')
  expect(tagOfLimit('tag:wet')).toBe('wet')
  const id = '0193a3c5-0000-7000-8000-000000000000'
  expect(limitKindOf({ name: `deployment:${id}` })).toBe('deployment')
  expect(deploymentIdOf(`deployment:${id}`)).toBe(id)
  expect(limitKindOf({ name: 'deployment:ours' })).toBe('named')
})

test('reads the limit type from the URL', () => {
  expect(readLimitsSearch({ kind: 'tag', name: 'x' })).toEqual({ kind: 'tag', name: 'x' })
  expect(readLimitsSearch({ kind: 'odd' })).toEqual({})
})
