import { expect, test } from 'vitest'
import { poolHealth } from './pool-health.ts'

test('how a pool is', () => {
  const pool = { is_paused: false, concurrency_limit: 2, active_slots: 1, type: 'process' }
  expect(poolHealth({ ...pool, is_paused: true }, [])).toEqual({ tone: 'warning', word: 'Paused' })
  expect(poolHealth(pool, [])).toEqual({ tone: 'danger', word: 'No worker' })
  expect(poolHealth(pool, [{ status: 'OFFLINE' }])).toEqual({ tone: 'danger', word: 'No worker online' })
  expect(poolHealth({ ...pool, active_slots: 2 }, [{ status: 'ONLINE' }])).toEqual({ tone: 'warning', word: 'All slots taken' })
  expect(poolHealth(pool, [{ status: 'ONLINE' }])).toEqual({ tone: 'good', word: '1 worker' })
})
