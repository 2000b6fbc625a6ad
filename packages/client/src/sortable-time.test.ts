import { expect, test } from 'vitest'
import { sortableTime } from './sortable-time.ts'

test('sorts times with and without a fraction', () => {
  const times = ['2031-02-01T09:30:01Z', '2031-02-01T09:30:00.500000Z', '2031-02-01T09:30:00Z']
  expect(times.map(sortableTime).sort()).toEqual(['2031-02-01T09:30:00.000000Z', '2031-02-01T09:30:00.500000Z', '2031-02-01T09:30:01.000000Z'])
})
