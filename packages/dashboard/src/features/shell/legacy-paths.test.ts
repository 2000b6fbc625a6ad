import { expect, test } from 'vitest'
import { poolIdInPath, queueIdInPath, resolveLegacyPath } from './legacy-paths.ts'

const id = '01a1de28-954a-756c-b5a8-f75d1f534a4f'

test.each([
  ['/flow-runs', '/runs'],
  [`/flow-runs/flow-run/${id}`, `/runs/flow-run/${id}`],
  [`/flow-run/${id}/`, `/runs/flow-run/${id}`],
  [`/task-runs/task-run/${id}`, `/runs/task-run/${id}`],
  [`/flow-runs/task-run/${id}`, `/runs/task-run/${id}`],
  ['/notifications', '/automations'],
  ['/notifications/create', '/automations'],
  ['/work-queues', '/work-pools'],
  ['/work-pools/work-pool/gpu/queue/default', '/work-pools/work-pool/gpu'],
  ['/concurrency-limits/concurrency-limit/1', '/concurrency-limits'],
  [`/events/event/${id}`, `/events/event/any/${id}`],
  ['/no/such/page', undefined],
  ['/runs', undefined],
])('maps %s to %s', (old, now) => {
  expect(resolveLegacyPath(old)).toBe(now)
})

test('finds ids of pools and queues in paths', () => {
  expect(poolIdInPath(`/work-pools/work-pool/${id}`)).toBe(id)
  expect(poolIdInPath('/work-pools/work-pool/gpu')).toBeUndefined()
  expect(queueIdInPath(`/work-queues/work-queue/${id}`)).toBe(id)
  expect(queueIdInPath('/work-queues')).toBeUndefined()
})
