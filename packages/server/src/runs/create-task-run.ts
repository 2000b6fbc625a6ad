import { alreadyExists, unknownReference } from '../errors.ts'
import { mergeLabels } from '../lib/merge-labels.ts'
import { generateRunName } from '../lib/run-name.ts'
import { transitionTaskRun } from '../orchestration/apply-transition.ts'
import { taskRunPolicyFor } from '../orchestration/policies.ts'
import type { TaskRunSnapshot } from '../orchestration/rule.ts'
import { createState } from '../orchestration/states.ts'
import { HeldRow } from '../storage/database.ts'
import type { CreatedTaskRun, TaskRunDraft } from './command.ts'
import type { Deciding } from './deciding.ts'
import { addTaskEffects } from './kinds.ts'
import { noRunTimes, toStateRow } from './run-state.ts'
import { type TaskRunRow, taskRunColumns, taskRunKey } from './task-run-rows.ts'

/** Creates a task run with its first state. If the flow run already has a task run with the same keys, the answer is that run. */
export function createTaskRun(deciding: Deciding, draft: TaskRunDraft): CreatedTaskRun | Error {
  const { changes, context, loaded } = deciding
  const owner = draft.flow_run_id ? deciding.owners.get(draft.flow_run_id) : null
  if (owner === undefined) return unknownReference(`The flow run ${draft.flow_run_id}`)
  const key = taskRunKey(draft)
  const earlier = deciding.taskRunsByKey.get(key) ?? loaded.taskRunsByKey.get(key)
  if (earlier) return { isNew: false, row: earlier }
  if (draft.id && deciding.isHeld(draft.id)) return new HeldRow(draft.id)
  if (draft.id && (deciding.taskRuns.has(draft.id) || changes.taskRuns.created.has(draft.id)))
    return alreadyExists(`A task run with the id ${draft.id}`)

  const ruleContext = deciding.ruleContext()
  const id = draft.id ?? context.newId()
  const proposed = createState(ruleContext, draft.state ?? { type: 'PENDING' })
  const run = initialSnapshot(id, draft)
  const outcome = transitionTaskRun(taskRunPolicyFor(proposed, true), { ...ruleContext, run, current: null, proposed, slots: deciding.taskRunSlots })
  addTaskEffects(deciding, outcome)
  const row: TaskRunRow = {
    id,
    created: ruleContext.now,
    updated: ruleContext.now,
    flow_run_id: draft.flow_run_id ?? null,
    name: draft.name || generateRunName(context.random),
    task_key: draft.task_key,
    dynamic_key: draft.dynamic_key,
    cache_key: draft.cache_key ?? null,
    cache_expiration: draft.cache_expiration ?? null,
    task_version: draft.task_version ?? null,
    tags: JSON.stringify(draft.tags),
    labels: mergeLabels([owner?.labels], { 'prefect.flow-run.id': draft.flow_run_id ?? null }, draft.labels),
    task_inputs: draft.task_inputs,
    recent_transitions: null,
    empirical_policy: JSON.stringify(draft.empirical_policy),
    ...taskRunColumns(outcome.run),
  }
  changes.taskRuns.create(row)
  if (outcome.newState) changes.taskRunStates.push({ ...toStateRow(outcome.newState), task_run_id: id })
  deciding.taskRunsByKey.set(key, row)
  return { isNew: true, row }
}

const initialSnapshot = (id: string, draft: TaskRunDraft): TaskRunSnapshot => ({
  id,
  state: null,
  ...noRunTimes,
  flow_run_id: draft.flow_run_id ?? null,
  flow_run_run_count: 0,
  tags: draft.tags,
  empirical_policy: draft.empirical_policy,
  flowRun: null,
  cached: null,
})
