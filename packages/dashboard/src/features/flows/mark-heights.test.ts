import { expect, test } from 'vitest'
import { markHeights } from './mark-heights.ts'

test('the longest is as high as there is room, the shortest can still be seen', () => {
  const runs = [0, 1, 25, 100].map((total_run_time) => ({ total_run_time }))
  expect(markHeights(runs, 20)).toEqual([4, 4, 10, 20])
  expect(markHeights([{ total_run_time: 0 }], 20)).toEqual([4])
  expect(markHeights([], 20)).toEqual([])
})
