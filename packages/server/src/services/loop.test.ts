import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type Config, readConfig } from '../config.ts'
import { createBus } from '../lib/bus.ts'
import { seededRandom } from '../lib/random.ts'
import { postgres } from '../storage/postgres/dialect.ts'
import type { ServerContext } from '../storage/server-context.ts'
import { startServices } from './loop.ts'
import type { Service } from './service.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

function startTestService(service: Partial<Service> & Pick<Service, 'runOnce'>) {
  const bus = createBus()
  const messages: string[] = []
  const context = {
    config: readConfig({}, []).config as Config,
    bus,
    random: seededRandom(1),
    reads: { dialect: postgres },
    writeQueue: { as: () => ({}) },
  } as unknown as ServerContext
  const log = {
    info: (_facts: object, message: string) => messages.push(message),
    error: (_facts: object, message: string) => messages.push(message),
  }
  const running = startServices([{ name: 'it', enabled: () => true, everySeconds: () => 10, ...service }], context, log)
  return { bus, messages, running }
}

test('runs passes at the interval with 10 % jitter and logs those with work', async () => {
  let passes = 0
  const { messages, running } = startTestService({
    async runOnce() {
      passes += 1
      return { done: passes === 2 ? 1 : 0 }
    },
  })
  await vi.advanceTimersByTimeAsync(2000)
  expect(passes).toBe(1)
  await vi.advanceTimersByTimeAsync(8000)
  expect(passes).toBe(1)
  await vi.advanceTimersByTimeAsync(100_000)
  expect(passes).toBeGreaterThanOrEqual(10)
  expect(passes).toBeLessThanOrEqual(12)
  expect(messages).toEqual(['it finished a pass'])
  await running.stop()
  await vi.advanceTimersByTimeAsync(100_000)
  expect(passes).toBeLessThanOrEqual(12)
})

test('starts a pass at once for a topic and shares it between wake-ups', async () => {
  let passes = 0
  const { bus, running } = startTestService({
    wakeOn: ['news'],
    async runOnce() {
      passes += 1
      return { done: passes }
    },
  })
  await vi.advanceTimersByTimeAsync(2000)
  const before = passes
  for (let n = 0; n < 100; n += 1) bus.notify('news')
  await vi.advanceTimersByTimeAsync(200)
  expect(passes).toBe(before + 1)
  await running.stop()
  bus.notify('news')
  await vi.advanceTimersByTimeAsync(60_000)
  expect(passes).toBe(before + 1)
})

test('never overlaps passes and keeps a wake-up during a pass', async () => {
  let [under, most, passes] = [0, 0, 0]
  const { bus, running } = startTestService({
    wakeOn: ['news'],
    async runOnce() {
      passes += 1
      under += 1
      most = Math.max(most, under)
      await new Promise((resolve) => setTimeout(resolve, 1000))
      under -= 1
      return {}
    },
  })
  await vi.advanceTimersByTimeAsync(1500)
  expect(passes).toBe(1)
  bus.notify('news')
  await vi.advanceTimersByTimeAsync(700)
  expect(passes).toBe(2)
  bus.notify('news')
  await vi.advanceTimersByTimeAsync(1000)
  expect([passes, most]).toEqual([3, 1])
  const stopped = running.stop()
  await vi.advanceTimersByTimeAsync(2000)
  await stopped
  expect(under).toBe(0)
})

test('logs and retries a failed pass, and never runs a disabled service', async () => {
  let passes = 0
  const { messages, running } = startTestService({
    async runOnce() {
      passes += 1
      throw new Error('no')
    },
  })
  await vi.advanceTimersByTimeAsync(25_000)
  expect(passes).toBeGreaterThanOrEqual(2)
  expect(new Set(messages)).toEqual(new Set(['it failed; it will be retried']))
  await running.stop()
  const off = startTestService({ enabled: () => false, runOnce: async () => ({ done: 1 }) })
  await vi.advanceTimersByTimeAsync(60_000)
  expect(off.messages).toEqual([])
})

test('aborts the running pass on stop and waits for it', async () => {
  let ended = false
  const { running } = startTestService({
    async runOnce(_parts, signal) {
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
      ended = true
      return {}
    },
  })
  await vi.advanceTimersByTimeAsync(2000)
  await running.stop()
  expect(ended).toBe(true)
})

test('logs a database outage and its end once', async () => {
  let passes = 0
  const { messages, running } = startTestService({
    async runOnce() {
      passes += 1
      if (passes <= 5) throw Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
      return { done: 0 }
    },
  })
  await vi.advanceTimersByTimeAsync(100_000)
  expect(passes).toBeGreaterThan(6)
  expect(messages).toEqual([
    'database unavailable; background services paused: connect ECONNREFUSED',
    'database available again; background services resumed',
  ])
  await running.stop()
})
