import { expect, test } from 'vitest'
import { parseDuration, parseDurationOrSeconds } from './duration.ts'

test.each([
  ['90', 90],
  ['1.5', 1.5],
  ['P7D', 604_800],
  ['PT1H30M', 5400],
  ['P1W', 604_800],
  ['-PT10S', -10],
  ['7d', 604_800],
  ['01:30:00', 5400],
  ['0:05', 300],
  ['7 days, 01:30:00', 610_200],
  ['P1Y2M', 36_720_000],
  ['00:00:60', undefined],
  ['', undefined],
  ['P', undefined],
  ['soon', undefined],
])('reads %s as %s seconds', (text, seconds) => {
  expect(parseDurationOrSeconds(text)).toBe(seconds)
})

test('rejects a plain number as a duration', () => {
  expect(['60', ' 60', '-1.5'].map(parseDuration)).toEqual([undefined, undefined, undefined])
  expect(parseDuration('PT60S')).toBe(60)
})
