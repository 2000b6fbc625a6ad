import { expect, test } from 'vitest'
import { toMicros } from '../time.ts'
import { naturalDate, naturalDay } from './natural-time.ts'

const now = toMicros('2030-06-15T12:00:00Z')

test.each([
  ['2030-06-15T00:00:00Z', 'today', 'today'],
  ['2030-06-14T23:59:59Z', 'yesterday', 'yesterday'],
  ['2030-06-16T00:00:00Z', 'tomorrow', 'tomorrow'],
  ['2030-06-20T00:00:00Z', 'Jun 20', 'Jun 20'],
  ['2030-01-16T00:00:00Z', 'Jan 16', 'Jan 16'],
  ['2030-01-02T00:00:00Z', 'Jan 02', 'Jan 02 2030'],
  ['2031-06-15T00:00:00Z', 'Jun 15', 'Jun 15 2031'],
])('writes %s as %s, and as %s with the year of a distant date', (time, day, date) => {
  expect([naturalDay(toMicros(time), now), naturalDate(toMicros(time), now)]).toEqual([day, date])
})
