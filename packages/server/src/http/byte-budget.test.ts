import { expect, test } from 'vitest'
import { ByteBudget, smallBytes } from './byte-budget.ts'

test('keeps a quarter for what is small', () => {
  const budget = new ByteBudget(1_000_000)
  expect(budget.take(750_000, smallBytes)).toBe(true)
  expect(budget.take(1, smallBytes)).toBe(false)
  expect(budget.take(smallBytes, 0)).toBe(true)
  expect(budget.used).toBe(750_000 + smallBytes)
  budget.give(750_000)
  expect(budget.take(1, smallBytes)).toBe(true)
})
