import { expect, test } from 'vitest'
import { offsetSeconds, toInstant, toLocalInput, toZonedIso } from './zoned-time.ts'

test('converts between local times and instants', () => {
  const at = Date.parse('2030-01-31T08:00:00Z')
  expect(toLocalInput(at, 'Europe/Berlin')).toBe('2030-01-31T09:00')
  expect(toInstant('2030-01-31T09:00', 'Europe/Berlin')).toBe(at)
  expect(toZonedIso('2030-07-31T09:00', 'Europe/Berlin')).toBe('2030-07-31T09:00:00+02:00')
  expect(toZonedIso('2030-07-31T09:00:05', 'America/New_York')).toBe('2030-07-31T09:00:05-04:00')
  expect(toZonedIso('2030-07-31T09:00', 'UTC')).toBe('2030-07-31T09:00:00Z')
  expect(toZonedIso('', 'UTC')).toBeUndefined()
  expect(offsetSeconds(at, 'Asia/Kolkata')).toBe(19_800)
})

test('handles DST gaps and overlaps', () => {
  // Clocks in Berlin go from 02:00 to 03:00 on 31 March 2030, and from 03:00 to 02:00 on 27 October 2030.
  expect(new Date(toInstant('2030-03-31T02:30', 'Europe/Berlin') ?? 0).toISOString()).toBe('2030-03-31T01:30:00.000Z')
  expect(new Date(toInstant('2030-10-27T02:30', 'Europe/Berlin') ?? 0).toISOString()).toBe('2030-10-27T00:30:00.000Z')
})
