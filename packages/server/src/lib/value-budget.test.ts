import { expect, test } from 'vitest'
import { ValueBudget } from './value-budget.ts'

test('lets texts wait for their turn while others hold too many values', async () => {
  const budget = new ValueBudget(10)
  const begun: string[] = []
  const take = (name: string, values: number) => budget.take(values).then(() => begun.push(name))
  await take('a', 6)
  const rest = [take('b', 5), take('c', 2), take('large', 50)]
  await Promise.resolve()
  expect(begun).toEqual(['a'])
  budget.give(6)
  await Promise.all(rest.slice(0, 2))
  expect(begun).toEqual(['a', 'b', 'c'])
  budget.give(5)
  budget.give(2)
  await rest[2]
  expect(begun).toEqual(['a', 'b', 'c', 'large'])
})
