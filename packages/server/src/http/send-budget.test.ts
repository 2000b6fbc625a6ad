import { expect, test } from 'vitest'
import { SendBudget } from './send-budget.ts'

const megabyte = 1024 * 1024

test('selects only peers with a large buffer while the buffers of all are full', () => {
  const budget = new SendBudget(4 * megabyte)
  budget.update(0, 3 * megabyte)
  budget.update(0, megabyte)
  expect(budget.isExceededBy(3 * megabyte)).toBe(false)
  budget.update(0, 1000)
  expect([budget.isExceededBy(3 * megabyte), budget.isExceededBy(1000)]).toEqual([true, false])
  budget.update(3 * megabyte, 0)
  expect(budget.used).toBe(megabyte + 1000)
  expect(budget.isExceededBy(megabyte)).toBe(false)
})
