import { expect, test } from 'vitest'
import { poolHealth } from './pool-health.ts'

test('describes the health of a pool', () => {
  const pool = { is_paused: false, concurrency_limit: 2, active_slots: 1, type: 'process' }
  expect(poolHealth({ ...pool, is_paused: true }, [])).toEqual({ tone: 'warning', label: 'Paused' })
  expect(poolHealth(pool, [])).toEqual({ tone: 'danger', label: 'No workers' })
  expect(poolHealth(pool, [{ status: 'OFFLINE' }])).toEqual({ tone: 'danger', label: 'No workers online' })
  expect(poolHealth({ ...pool, active_slots: 2 }, [{ status: 'ONLINE' }])).toEqual({ tone: 'warning', label: 'All slots in use' })
  expect(poolHealth(pool, [{ status: 'ONLINE' }])).toEqual({ tone: 'good', label: '1 worker' })
})
