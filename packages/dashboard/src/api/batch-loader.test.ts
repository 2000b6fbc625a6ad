import { expect, test, vi } from 'vitest'
import { createBatchLoader } from './batch-loader.ts'

test('what is asked for at once is fetched at once, each its own', async () => {
  const fetchMany = vi.fn(async (ids: string[]) => ids.filter((id) => id !== 'gone').map((id) => ({ id, name: `${id}!` })))
  const read = createBatchLoader(fetchMany)
  const [a, again, gone] = await Promise.all([read('a'), read('a'), read('gone')])
  expect([a?.name, again, gone]).toEqual(['a!', a, undefined])
  expect(fetchMany.mock.calls).toEqual([[['a', 'gone']]])
  await read('b')
  expect(fetchMany).toHaveBeenCalledTimes(2)
})

test('no call asks for more than the limit, and a failure reaches everybody who waits', async () => {
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
