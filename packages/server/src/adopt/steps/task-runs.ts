import type { TaskRunPolicy } from '@millrace/contracts/task-run.ts'
import { withDefaultTaskPolicy } from '../../runs/task-run-policy.ts'
import { baseColumns, int, json, text, time, uuid } from '../columns.ts'
import type { Step } from '../step.ts'
import { runColumns, stateJoins, stateStep, toStateColumns } from './run-state.ts'

const taskRuns: Step = {
  name: 'task_run',
  noun: 'task runs',
  from: 'task_run',
  to: 'task_run',
  requiredReferences: { flow_run_id: 'flow_run' },
  joins: stateJoins('task_run'),
  ignoredColumns: ['state_id'],
  columns: {
    ...baseColumns,
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
  async write(_adoption, tx, rows) {
    const runs = rows.map((row) => ({
      ...toStateColumns(row),
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
  ignoredColumns: ['updated'],
  columns: { id: uuid(), created: time(), cache_key: text(), cache_expiration: time(), state_id: uuid(undefined, 'task_run_state_id') },
}

export const taskRunSteps: readonly Step[] = [taskRuns, stateStep('task_run', 'task run states'), cache]
