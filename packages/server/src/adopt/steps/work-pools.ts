import { baseColumns, bool, int, json, text, time, uuid } from '../columns.ts'
import type { Step } from '../step.ts'

const workPools: Step = {
  name: 'work_pool',
  noun: 'work pools',
  from: 'work_pool',
  to: 'work_pool',
  columns: {
    ...baseColumns,
    name: text(),
    description: text(),
    type: text(),
    base_job_template: json('{}'),
    is_paused: bool(false),
    concurrency_limit: int(),
    status: text('NOT_READY'),
    default_queue_id: uuid(),
    storage_configuration: json('{}'),
    last_status_event_id: uuid(),
    last_transitioned_status_at: time(),
  },
}

const workQueues: Step = {
  name: 'work_queue',
  noun: 'work queues',
  from: 'work_queue',
  to: 'work_queue',
  requiredReferences: { work_pool_id: 'work_pool' },
  // Queues from before work pools existed.
  skipRules: [{ where: 'work_queue.work_pool_id is null', reason: 'no work pool' }],
  columns: {
    ...baseColumns,
    work_pool_id: uuid(),
    name: text(),
    description: text(''),
    is_paused: bool(false),
    concurrency_limit: int(),
    priority: int(1),
    filter: json(),
    last_polled: time(),
    status: text('NOT_READY'),
  },
}

const workers: Step = {
  name: 'worker',
  noun: 'workers',
  from: 'worker',
  to: 'worker',
  requiredReferences: { work_pool_id: 'work_pool' },
  columns: {
    ...baseColumns,
    work_pool_id: uuid(),
    name: text(),
    last_heartbeat_time: time(),
    heartbeat_interval_seconds: int(),
    status: text('OFFLINE'),
  },
}

export const workPoolSteps: readonly Step[] = [workPools, workQueues, workers]
