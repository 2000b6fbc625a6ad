import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { GuessReport } from './guess-report.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('wrong passwords are reported at once, then counted each minute', () => {
  const warnings: string[] = []
  const report = new GuessReport((message) => warnings.push(message))
  for (let n = 0; n < 1000; n += 1) report.count(n % 10 === 0 ? '192.0.2.2' : '192.0.2.1')
  expect(warnings).toEqual(['Wrong password from 192.0.2.2'])
  vi.advanceTimersByTime(60_000)
  expect(warnings.slice(1)).toEqual(['999 more wrong passwords within 60 seconds from 2 addresses, 900 of them from 192.0.2.1'])
  vi.advanceTimersByTime(60_000)
  report.count('')
  expect(warnings.slice(2)).toEqual(['Wrong password from an unknown address'])
})

test('the addresses that are counted are limited', () => {
  const warnings: string[] = []
  const report = new GuessReport((message) => warnings.push(message))
  for (let n = 0; n < 5000; n += 1) report.count(`10.0.${n >> 8}.${n & 255}`)
  vi.advanceTimersByTime(60_000)
  expect(warnings[1]).toBe('4999 more wrong passwords within 60 seconds from at least 1000 addresses, 1 of them from 10.0.0.1')
})
