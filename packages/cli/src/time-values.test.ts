import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { parseDurationOption, parsePastTime, parseTimeOption, secondsFromNow } from './time-values.ts'

beforeAll(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2030-01-01T12:00:00Z') })
})
afterAll(() => {
  vi.useRealTimers()
})

test.each([
  ['90', 90],
  ['1.5', 1.5],
  ['90s', 90],
  ['5m', 300],
  ['1h30m', 5400],
  ['1h 30m', 5400],
  ['2D', 172_800],
  ['1w', 604_800],
  ['PT1H', 3600],
  ['P1DT30M', 88_200],
  ['01:30:00', 5400],
])('reads the duration %s', (text, seconds) => {
  expect(parseDurationOption(text)).toBe(seconds)
})

test.each(['', '0', 'soon', '5 minutes', '-5m', '5x', 'PT'])('rejects the duration "%s"', (text) => {
  expect(() => parseDurationOption(text)).toThrow('It is not a duration such as 30s, 5m, 2h, 1d or PT1H.')
})

test.each([
  ['2h', '2030-01-01T10:00:00.000Z'],
  ['P1D', '2029-12-31T12:00:00.000Z'],
  ['2030-01-01T10:00:00.123456Z', '2030-01-01T10:00:00.123456Z'],
  ['2030-01-01 10:00+02:00', '2030-01-01 10:00+02:00'],
  ['2030-01-01T10:00', new Date('2030-01-01T10:00').toISOString()],
  ['2030-01-01', new Date('2030-01-01T00:00').toISOString()],
])('reads the time %s', (text, time) => {
  expect(parsePastTime(text)).toBe(time)
})

test.each(['2', 'yesterday', '2030', '2030-13-01', '2030-01-01T25:00:00Z'])('rejects the time "%s"', (text) => {
  expect(() => parsePastTime(text)).toThrow('It is neither a duration such as 2h or 1d nor a time')
  expect(() => parseTimeOption(text)).toThrow('It is not a time such as')
})

test('adds seconds to the present', () => {
  expect(secondsFromNow(90)).toBe('2030-01-01T12:01:30.000Z')
})
