import { expect, test } from 'vitest'
import { deploymentIdOf, kindOf, readLimitsSearch, tagOf } from './limit-kinds.ts'

test('a limit is known by its name', () => {
  expect(kindOf({ name: 'database' })).toBe('named')
  expect(kindOf({ name: 'tag:wet' })).toBe('tag')
  expect(tagOf('tag:wet')).toBe('wet')
  const id = '0193a3c5-0000-7000-8000-000000000000'
  expect(kindOf({ name: `deployment:${id}` })).toBe('deployment')
  expect(deploymentIdOf(`deployment:${id}`)).toBe(id)
  expect(kindOf({ name: 'deployment:ours' })).toBe('named')
})

test('the address says which', () => {
  expect(readLimitsSearch({ kind: 'tag', name: 'x' })).toEqual({ kind: 'tag', name: 'x' })
  expect(readLimitsSearch({ kind: 'odd' })).toEqual({})
})
