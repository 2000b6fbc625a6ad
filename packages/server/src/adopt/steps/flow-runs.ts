import type { FlowRunPolicy } from '@millrace/contracts/flow-run.ts'
import { withDefaultPolicy } from '../../domains/flow-runs/draft.ts'
import { baseColumns, bool, json, text, uuid } from '../columns.ts'
import type { Step } from '../step.ts'
import { runColumns, stateJoins, stateStep, toStateColumns } from './run-state.ts'

const flowRuns: Step = {
  name: 'flow_run',
  noun: 'flow runs',
  from: 'flow_run',
  to: 'flow_run',
  requiredReferences: { flow_id: 'flow' },
  optionalReferences: { work_queue_id: 'work_queue' },
  joins: stateJoins('flow_run'),
  // A trigger maintains the tags, and SQLite gets slower with the rows per savepoint: 10,000 runs took 1.9 s by 200 and 5.8 s by 1000.
  pageSize: 200,
  // The `subflows` step sets the parent after the task runs are copied.
  ignoredColumns: ['state_id', 'parent_task_run_id'],
  columns: {
    ...baseColumns,
    flow_id: uuid(),
    name: text(),
    deployment_id: uuid(),
    deployment_version: text(),
    work_queue_id: uuid(),
    work_queue_name: text(),
    flow_version: text(),
    parameters: json('{}'),
    idempotency_key: text(),
    context: json('{}'),
    empirical_policy: json('{}'),
    tags: json('[]'),
    labels: json('{}'),
    infrastructure_document_id: uuid(),
    infrastructure_pid: text(),
    created_by: json(),
    auto_scheduled: bool(false),
    job_variables: json('{}'),
    ...runColumns,
  },
  async write(_adoption, tx, rows) {
    const runs = rows.map((row) => ({
      ...toStateColumns(row),
      parent_task_run_id: null,
      empirical_policy: JSON.stringify(withDefaultPolicy(JSON.parse(String(row.empirical_policy)) as FlowRunPolicy)),
    }))
    await tx.insert('flow_run', runs)
  },
}

const inputs: Step = {
  name: 'flow_run_input',
  noun: 'flow run inputs',
  from: 'flow_run_input',
  to: 'flow_run_input',
  requiredReferences: { flow_run_id: 'flow_run' },
  columns: { ...baseColumns, flow_run_id: uuid(), key: text(), value: text(), sender: text() },
}

/** Runs after the task runs. */
export const subflows: Step = {
  name: 'flow_run.parent_task_run_id',
  noun: 'linked subflow runs',
  from: 'flow_run',
  to: 'flow_run',
  rowFilter: 'flow_run.parent_task_run_id is not null',
  requiredReferences: { flow_id: 'flow', parent_task_run_id: 'task_run' },
  columns: { id: uuid(), parent_task_run_id: uuid() },
  countFilter: 'parent_task_run_id is not null',
  write: async (_adoption, tx, rows) => void (await tx.update('flow_run', rows)),
}

export const flowRunSteps: readonly Step[] = [flowRuns, stateStep('flow_run', 'flow run states'), inputs]
