import { expect, test } from 'vitest'
import { ByteBudget, smallBytes } from './byte-budget.ts'

test('reserves a quarter for small bodies', () => {
  const budget = new ByteBudget(1_000_000)
  expect(budget.tryAcquire(750_000, smallBytes)).toBe(true)
  expect(budget.tryAcquire(1, smallBytes)).toBe(false)
  expect(budget.tryAcquire(smallBytes, 0)).toBe(true)
  expect(budget.used).toBe(750_000 + smallBytes)
  budget.release(750_000)
  expect(budget.tryAcquire(1, smallBytes)).toBe(true)
})
