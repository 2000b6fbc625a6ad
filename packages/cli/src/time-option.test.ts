import { expect, test } from 'vitest'
import { parseDurationOption, parsePastOption } from './time-option.ts'

test('reads durations', () => {
  expect(['90s', '15m', '2h', '1d', '1w', '1h30m', '0.5h'].map(parseDurationOption)).toEqual([90, 900, 7200, 86_400, 604_800, 5400, 1800])
})

test.each(['', 'soon', '5', 'm', '1h 30m', '-1h'])('rejects "%s" as a duration', (text) => {
  expect(() => parseDurationOption(text)).toThrow('It is not a duration such as')
})

test('reads times, local without a zone, and durations before now', () => {
  expect(parsePastOption('2026-01-31T12:00:00Z')).toBe('2026-01-31T12:00:00.000Z')
  expect(parsePastOption('2026-01-31 12:00')).toBe(new Date(2026, 0, 31, 12).toISOString())
  expect(parsePastOption('2026-01-31')).toBe(new Date(2026, 0, 31).toISOString())
  expect(Date.now() - Date.parse(parsePastOption('1h')) - 3_600_000).toBeLessThan(1000)
})

test.each(['yesterday', '12', '2026-13-01', '2026-01-31T99:00'])('rejects "%s" as a time', (text) => {
  expect(() => parsePastOption(text)).toThrow('It is neither a time such as')
})
