import { expect, test } from 'vitest'
import { formatIsoDuration, parseDuration } from './iso-duration.ts'

test('parses ISO 8601 and human durations', () => {
  expect(parseDuration('PT1H30M')).toBe(5400)
  expect(parseDuration('P1DT0.5S')).toBe(86_400.5)
  expect(parseDuration('1 h 30 m')).toBe(5400)
  expect(parseDuration('2 days')).toBe(172_800)
  expect(parseDuration('90')).toBe(90)
  for (const text of ['', 'P', 'PT', 'soon', '1 fortnight', '1h x']) expect(parseDuration(text)).toBeUndefined()
})

test('formats seconds as an ISO 8601 duration', () => {
  for (const seconds of [0, 0.5, 59, 60, 5400, 86_400, 90_061]) expect(parseDuration(formatIsoDuration(seconds))).toBe(seconds)
  expect(formatIsoDuration(5400)).toBe('PT1H30M')
  expect(formatIsoDuration(0)).toBe('PT0S')
})
