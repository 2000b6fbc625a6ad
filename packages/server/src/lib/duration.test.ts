import { expect, test } from 'vitest'
import { readDuration } from './duration.ts'

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
  ['', undefined],
  ['P', undefined],
  ['soon', undefined],
])('%s', (text, seconds) => {
  expect(readDuration(text)).toBe(seconds)
})
