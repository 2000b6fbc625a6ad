import { expect, test } from 'vitest'
import { chooseTimeBuckets, eventsFilter, readEventsSearch, resolveTimeRange } from './events-search.ts'

const present = Date.parse('2030-01-31T12:00:00Z')
const range = resolveTimeRange({}, present, 24)

test('reads filters from the URL and omits missing ones', () => {
  expect(readEventsSearch({ event: 'a', resource: ['x', 'y'], text: '', odd: 1 })).toEqual({ event: ['a'], resource: ['x', 'y'] })
})

test('resolves relative and absolute ranges', () => {
  expect(range).toEqual({ since: present - 86_400_000, until: present, isOpen: true })
  expect(resolveTimeRange({ since: '1h' }, present, 24).since).toBe(present - 3_600_000)
  expect(resolveTimeRange({ since: '2030-01-01T00:00:00Z', until: '2030-01-02T00:00:00Z' }, present, 24)).toEqual({
    since: Date.parse('2030-01-01'),
    until: Date.parse('2030-01-02'),
    isOpen: false,
  })
  expect(resolveTimeRange({ since: 'nonsense' }, present, 24)).toEqual(range)
})

test('filters by names, by prefixes, or by prefixes if both are given', () => {
  expect(eventsFilter({ event: ['a', 'b'] }, range).event).toEqual({ name: ['a', 'b'] })
  expect(eventsFilter({ event: ['a.*', 'b'] }, range).event).toEqual({ prefix: ['a.', 'b'] })
})

test('filters by resource and by related resource', () => {
  const filter = eventsFilter({ resource: ['x', 'y.*'], related: ['z'], text: 'word' }, range)
  expect(filter).toMatchObject({ any_resource: { id: ['x'], id_prefix: ['y.'] }, related: { id: ['z'] }, text: { query: 'word' } })
  expect(filter.occurred).toEqual({ since: '2030-01-30T12:00:00.000Z' })
})

test.each([
  [60, 'second', 1],
  [3600, 'minute', 1],
  [86_400, 'minute', 15],
  [7 * 86_400, 'hour', 2],
  [365 * 86_400, 'week', 1],
])('%d seconds are shown by %s, %d at a time', (seconds, unit, interval) => {
  expect(chooseTimeBuckets({ since: present - seconds * 1000, until: present, isOpen: true })).toMatchObject({
    time_unit: unit,
    time_interval: interval,
  })
})
