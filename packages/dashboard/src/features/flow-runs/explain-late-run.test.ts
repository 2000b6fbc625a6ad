import { expect, test } from 'vitest'
import { explainLateRun, type LateRunContext } from './explain-late-run.ts'

const pool = { name: 'k8s', is_paused: false, concurrency_limit: null, active_slots: 0 }
const queue = { name: 'default', is_paused: false, concurrency_limit: null, active_slots: 0 }
const deployment = { name: 'nightly', status: 'READY' as const, global_concurrency_limit: null }
const facts: LateRunContext = { pool, queue, workers: [{ status: 'ONLINE' }], deployment }
const limit = { id: '', created: null, updated: null, active: true, name: '', limit: 1, active_slots: 1, slot_decay_per_second: 0 }

test.each<[string, Partial<LateRunContext>, RegExp]>([
  ['nothing serves it', { pool: undefined, deployment: { ...deployment, status: 'NOT_READY' } }, /Deployment nightly is not being served/],
  ['no pool', { pool: undefined }, /^No work pool/],
  ['a paused pool comes before all else', { pool: { ...pool, is_paused: true }, workers: [] }, /^Work pool k8s is paused$/],
  ['a paused queue', { queue: { ...queue, is_paused: true } }, /queue default of k8s is paused/],
  ['no worker ever', { workers: [] }, /has no workers/],
  ['all workers gone', { workers: [{ status: 'OFFLINE' }] }, /^No worker of k8s is online\. Start a worker\.$/],
  ['a full pool', { pool: { ...pool, concurrency_limit: 4, active_slots: 4 } }, /has 4 of 4 slots in use/],
  ['a pool without slots', { pool: { ...pool, concurrency_limit: 0 } }, /has no slots/],
  ['a full queue', { queue: { ...queue, concurrency_limit: 1, active_slots: 1 } }, /queue default has 1 of 1 slots in use/],
  ['a full deployment', { deployment: { ...deployment, global_concurrency_limit: limit } }, /Deployment nightly has 1 of 1 slots in use/],
  ['nothing', {}, /should start shortly/],
])('explains a run held up by %s', (_name, change, text) => {
  expect(explainLateRun({ ...facts, ...change })).toMatch(text)
})
