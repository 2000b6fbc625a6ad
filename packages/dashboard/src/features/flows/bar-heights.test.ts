import { expect, test } from 'vitest'
import { barHeights } from './bar-heights.ts'

test('scales bars between a visible minimum and the full height', () => {
  const runs = [0, 1, 25, 100].map((total_run_time) => ({ total_run_time }))
  expect(barHeights(runs, 20)).toEqual([4, 4, 10, 20])
  expect(barHeights([{ total_run_time: 0 }], 20)).toEqual([4])
  expect(barHeights([], 20)).toEqual([])
})
