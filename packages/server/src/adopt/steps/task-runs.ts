import type { TaskRunPolicy } from '@millrace/contracts/task-run.ts'
import { withDefaultTaskPolicy } from '../../domains/task-runs/draft.ts'
import { int, json, stamped, text, time, uuid } from '../column.ts'
import type { Step } from '../step.ts'
import { runColumns, settled, stateJoins, stateStep } from './run-state.ts'

const taskRuns: Step = {
  name: 'task_run',
  noun: 'task runs',
  from: 'task_run',
  to: 'task_run',
  belongsTo: { flow_run_id: 'flow_run' },
  joins: stateJoins('task_run'),
  passedOver: ['state_id'],
  columns: {
    ...stamped,
    flow_run_id: uuid(),
    name: text(),
    task_key: text(),
    dynamic_key: text(),
    cache_key: text(),
    cache_expiration: time(),
    task_version: text(),
    flow_run_run_count: int(0),
    empirical_policy: json('{}'),
    tags: json('[]'),
    labels: json('{}'),
    task_inputs: json('{}'),
    ...runColumns,
  },
  async write(_work, tx, rows) {
    const runs = rows.map((row) => ({
      ...settled(row),
      empirical_policy: JSON.stringify(withDefaultTaskPolicy(JSON.parse(String(row.empirical_policy)) as TaskRunPolicy)),
    }))
    await tx.insert('task_run', runs)
  },
}

const cache: Step = {
  name: 'task_run_state_cache',
  noun: 'cached task states',
  from: 'task_run_state_cache',
  to: 'task_run_cache',
  passedOver: ['updated'],
  columns: { id: uuid(), created: time(), cache_key: text(), cache_expiration: time(), state_id: uuid(undefined, 'task_run_state_id') },
}

export const taskRunSteps: readonly Step[] = [taskRuns, stateStep('task_run', 'states of task runs'), cache]
