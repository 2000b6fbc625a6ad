import { expect, test } from 'vitest'
import { barHeights } from './bar-heights.ts'

test('the longest is as high as there is room, the shortest can still be seen', () => {
  const runs = [0, 1, 25, 100].map((total_run_time) => ({ total_run_time }))
  expect(barHeights(runs, 20)).toEqual([4, 4, 10, 20])
  expect(barHeights([{ total_run_time: 0 }], 20)).toEqual([4])
  expect(barHeights([], 20)).toEqual([])
})
