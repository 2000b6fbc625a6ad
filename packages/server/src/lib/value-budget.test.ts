import { expect, test } from 'vitest'
import { ValueBudget } from './value-budget.ts'

test('queues requests while the budget is exhausted', async () => {
  const budget = new ValueBudget(10)
  const begun: string[] = []
  const take = (name: string, values: number) => budget.acquire(values).then(() => begun.push(name))
  await take('a', 6)
  const rest = [take('b', 5), take('c', 2), take('large', 50)]
  await Promise.resolve()
  expect(begun).toEqual(['a'])
  budget.release(6)
  await Promise.all(rest.slice(0, 2))
  expect(begun).toEqual(['a', 'b', 'c'])
  budget.release(5)
  budget.release(2)
  await rest[2]
  expect(begun).toEqual(['a', 'b', 'c', 'large'])
})
