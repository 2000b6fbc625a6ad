import { expect, test } from 'vitest'
import { durationSeconds } from './duration.ts'

test.each([
  ['90', 90],
  ['7.5', 7.5],
  ['P7D', 604_800],
  ['P1W', 604_800],
  ['PT1H', 3600],
  ['P1DT12H', 129_600],
  ['PT1.5S', 1.5],
  ['7d', 604_800],
  ['1 day', 86_400],
  ['7 days, 01:00:00', 608_400],
  ['1:00:00', 3600],
  ['01:30', 5400],
  ['00:00:05.5', 5.5],
])('%s is %d seconds', (text, seconds) => {
  expect(durationSeconds(text)).toBe(seconds)
})

test.each(['', 'P', 'PT', '90m', '-5', 'soon', 'd', '1:2', '5 hours'])('%j is no span of time', (text) => {
  expect(durationSeconds(text)).toBeUndefined()
})
