import type { TaskRunPolicy } from '@millrace/contracts/task-run.ts'
import { completeTaskPolicy } from '../../domains/task-runs/draft.ts'
import { int, json, stamped, text, time, uuid } from '../column.ts'
import type { Step, Work } from '../step.ts'
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
  async write(work, tx, rows) {
    const doubles = await doublesOf(work)
    const runs = rows.map((row) => ({
      ...settled(row),
      dynamic_key: doubles.has(String(row.id)) ? `${row.dynamic_key}-${row.id}` : (row.dynamic_key as string),
      empirical_policy: JSON.stringify(completeTaskPolicy(JSON.parse(String(row.empirical_policy)) as TaskRunPolicy)),
    }))
    await tx.insert('task_run', runs)
  },
}

const known = new WeakMap<Work, Promise<ReadonlySet<string>>>()

/**
 * Task runs without a flow run have the same keys as an earlier one: the other server's unique index passes over nulls, ours does not. They are
 * told apart by their ids, as nothing but the index looks at the keys of such runs.
 */
function doublesOf(work: Work): Promise<ReadonlySet<string>> {
  const found = known.get(work) ?? findDoubles(work)
  known.set(work, found)
  return found
}

async function findDoubles({ source, note }: Work): Promise<ReadonlySet<string>> {
  const rows = await source.all<{ id: string }>(
    `select ${source.expression('uuid', 'task_run.id')} as id from task_run
      join (select task_key, dynamic_key, min(created) as created from task_run where flow_run_id is null group by task_key, dynamic_key having count(*) > 1) first
        on first.task_key = task_run.task_key and first.dynamic_key = task_run.dynamic_key
      where task_run.flow_run_id is null and task_run.created > first.created`,
  )
  if (rows.length > 0)
    note(`Task runs without a flow run that have the keys of an earlier one: ${rows.length}; their dynamic_key now ends with their id`)
  return new Set(rows.map(({ id }) => id))
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
