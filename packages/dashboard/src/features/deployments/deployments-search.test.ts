import { expect, test } from 'vitest'
import { deploymentsBody, hasFilters, readDeploymentsSearch } from './deployments-search.ts'

test('builds the filter from the URL', () => {
  const search = readDeploymentsSearch({ name: 'night', flow: 'f', pool: ['a', 'b'], tag: 'prod', paused: 'yes', sort: 'changed', page: '2' })
  expect(deploymentsBody(search, 20)).toEqual({
    page: 2,
    limit: 20,
    sort: 'UPDATED_DESC',
    deployments: { flow_or_deployment_name: { like_: 'night' }, tags: { all_: ['prod'] }, paused: { eq_: true } },
    flows: { id: { any_: ['f'] } },
    work_pools: { name: { any_: ['a', 'b'] } },
  })
  expect(hasFilters(search)).toBe(true)
})

test('ignores unknown values', () => {
  const search = readDeploymentsSearch({ paused: 'maybe', sort: 'odd', page: '0' })
  expect(search).toEqual({})
  expect(hasFilters(search)).toBe(false)
  expect(deploymentsBody(search, 20)).toEqual({ page: 1, limit: 20, sort: 'NAME_ASC' })
})
