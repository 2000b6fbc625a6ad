import { afterEach, expect, test, vi } from 'vitest'
import { backoffSeconds, defaultRetryPolicy, retryAfterSeconds, retryDelaySeconds, sleep } from './retry.ts'

afterEach(() => {
  vi.useRealTimers()
})

test('doubles the delay with each attempt up to the maximum, with jitter of one half', () => {
  const bounds = Array.from({ length: 8 }, (_, attempt) => [backoffSeconds(attempt, 0.2, 10, 0), backoffSeconds(attempt, 0.2, 10, 1)])
  expect(bounds).toEqual([
    [0.1, 0.2],
    [0.2, 0.4],
    [0.4, 0.8],
    [0.8, 1.6],
    [1.6, 3.2],
    [3.2, 6.4],
    [5, 10],
    [5, 10],
  ])
  for (let round = 0; round < 100; round += 1) {
    expect(backoffSeconds(3, 0.2, 10)).toBeGreaterThanOrEqual(0.8)
    expect(backoffSeconds(3, 0.2, 10)).toBeLessThanOrEqual(1.6)
  }
})

test('waits at least as long as the server asks, and gives up if that is too long', () => {
  expect(retryDelaySeconds(defaultRetryPolicy, 0, 5, 0)).toBe(5.1)
  expect(retryDelaySeconds(defaultRetryPolicy, 0, 60, 1)).toBe(60.2)
  expect(retryDelaySeconds(defaultRetryPolicy, 0, 61)).toBeUndefined()
})

test('reads Retry-After as seconds or as a date by the clock of the server', () => {
  const read = (headers: Record<string, string>) => retryAfterSeconds(new Headers(headers))
  expect(read({})).toBeUndefined()
  expect(read({ 'retry-after': '7' })).toBe(7)
  expect(read({ 'retry-after': '0.25' })).toBe(0.25)
  expect(read({ 'retry-after': '-3' })).toBe(0)
  expect(read({ 'retry-after': 'soon' })).toBeUndefined()
  const date = 'Tue, 01 Jan 2030 00:00:30 GMT'
  expect(read({ 'retry-after': date, date: 'Tue, 01 Jan 2030 00:00:10 GMT' })).toBe(20)
  expect(read({ 'retry-after': date, date: 'Tue, 01 Jan 2030 00:01:00 GMT' })).toBe(0)
  vi.useFakeTimers({ now: Date.parse('2030-01-01T00:00:25Z') })
  expect(read({ 'retry-after': date })).toBe(5)
})

test('ends a wait when the signal is aborted', async () => {
  const reason = new Error('enough')
  const controller = new AbortController()
  const waiting = sleep(1e9, controller.signal)
  controller.abort(reason)
  await expect(waiting).rejects.toBe(reason)
  await expect(sleep(0, controller.signal)).rejects.toBe(reason)
})
