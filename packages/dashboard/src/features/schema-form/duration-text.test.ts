import { expect, test } from 'vitest'
import { durationSeconds, isoDuration } from './duration-text.ts'

test('lengths of time as machines and as people write them', () => {
  expect(durationSeconds('PT1H30M')).toBe(5400)
  expect(durationSeconds('P1DT0.5S')).toBe(86_400.5)
  expect(durationSeconds('1 h 30 m')).toBe(5400)
  expect(durationSeconds('2 days')).toBe(172_800)
  expect(durationSeconds('90')).toBe(90)
  for (const text of ['', 'P', 'PT', 'soon', '1 fortnight', '1h x']) expect(durationSeconds(text)).toBeUndefined()
})

test('and back', () => {
  for (const seconds of [0, 0.5, 59, 60, 5400, 86_400, 90_061]) expect(durationSeconds(isoDuration(seconds))).toBe(seconds)
  expect(isoDuration(5400)).toBe('PT1H30M')
  expect(isoDuration(0)).toBe('PT0S')
})
