import { expect, test, vi } from 'vitest'
import { createBatchLoader } from './batch-loader.ts'

test('loads all ids of one turn in one call and resolves each with its own item', async () => {
  const fetchMany = vi.fn(async (ids: string[]) => ids.filter((id) => id !== 'gone').map((id) => ({ id, name: `${id}!` })))
  const read = createBatchLoader(fetchMany)
  const [a, again, gone] = await Promise.all([read('a'), read('a'), read('gone')])
  expect([a?.name, again, gone]).toEqual(['a!', a, undefined])
  expect(fetchMany.mock.calls).toEqual([[['a', 'gone']]])
  await read('b')
  expect(fetchMany).toHaveBeenCalledTimes(2)
})

test('splits calls at the limit and rejects every caller of a failed batch', async () => {
  const fetchMany = vi.fn(async (ids: string[]) => {
    if (ids.includes('bad')) throw new Error('refused')
    return ids.map((id) => ({ id }))
  })
  const read = createBatchLoader(fetchMany, 2)
  const results = await Promise.allSettled([read('a'), read('b'), read('bad'), read('c')])
  expect(fetchMany.mock.calls.map(([ids]) => ids)).toEqual([
    ['a', 'b'],
    ['bad', 'c'],
  ])
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'rejected'])
})
