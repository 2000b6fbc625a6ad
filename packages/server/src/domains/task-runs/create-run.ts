import type { Labels } from '@millrace/contracts/primitives.ts'
import { alreadyExists, unknownReference } from '../../errors.ts'
import { generateRunName } from '../../lib/run-name.ts'
import { transitionTaskRun } from '../../orchestration/apply-transition.ts'
import { taskRunPolicyFor } from '../../orchestration/policies.ts'
import type { TaskRunRetryPolicy, TaskRunSnapshot } from '../../orchestration/rule.ts'
import { createState, type ReceivedState } from '../../orchestration/states.ts'
import { type Batch, batchAfterReads } from '../../storage/batch.ts'
import { statement, type Tx } from '../../storage/database.ts'
import { perServer } from '../../storage/server-context.ts'
import type { Row } from '../../storage/tables.ts'
import { loadRunSlots } from '../concurrency-limits/run-slots.ts'
import { addTaskKey, lacksTaskKey, rememberedFlowRuns } from '../flow-runs/remembered-runs.ts'
import { mergeLabels } from '../merge-labels.ts'
import { toStateRow } from '../run-state.ts'
import { toRuleSettings } from '../state-proposals.ts'
import { rememberedTaskRuns } from './remembered-runs.ts'
import { TaskRunWrites } from './set-state.ts'
import { readTaskRuns, readTaskRunsByKey, type TaskRunRow, taskRunKey } from './store.ts'
import { taskTransitionColumns } from './transition-store.ts'

/** A task run to create. JSON fields are text. */
export interface TaskRunDraft {
  readonly id?: string | null
  readonly name?: string | null
  readonly state?: ReceivedState | null
  readonly flow_run_id?: string | null
  readonly task_key: string
  readonly dynamic_key: string
  readonly cache_key?: string | null
  readonly cache_expiration?: number | null
  readonly task_version?: string | null
  readonly empirical_policy: TaskRunRetryPolicy
  readonly tags: readonly string[]
  readonly labels?: Labels | null
  readonly task_inputs: string
}

export interface CreatedTaskRun {
  /** False if a run with these keys exists; `row` is that run, unchanged. */
  readonly isNew: boolean
  readonly row: TaskRunRow
}

/** Creates task runs with their first state. If the flow run already has a task run with the same keys, the result is that run. */
export const taskRunCreationBatch = perServer(
  (context): Batch<TaskRunDraft, CreatedTaskRun> =>
    batchAfterReads(
      (tx, drafts) => Promise.all([readFlowRuns(tx, drafts), readRunsByKey(tx, drafts), readRunsWithId(tx, drafts)]),
      async (tx, drafts, [flowRuns, runsByKey, existing]) => {
        const { clock, newId, random } = context
        const usedIds = new Set(existing.map(({ id }) => id))
        const slots = await loadRunSlots(tx, context, 'task_run', new Set())
        const settings = toRuleSettings(context.config)
        const writes = new TaskRunWrites(context)
        const runs: TaskRunRow[] = []
        const states: Row<'task_run_state'>[] = []

        const results = drafts.map((draft): CreatedTaskRun | Error => {
          const flowRun = draft.flow_run_id ? flowRuns.get(draft.flow_run_id) : null
          if (flowRun === undefined) return unknownReference(`The flow run ${draft.flow_run_id}`)
          const key = taskRunKey(draft)
          const earlier = runsByKey.get(key)
          if (earlier) return { isNew: false, row: earlier }
          if (draft.id && usedIds.has(draft.id)) return alreadyExists(`A task run with the id ${draft.id}`)

          const now = clock.now()
          const id = draft.id ?? newId()
          usedIds.add(id)
          const stateContext = { now, newId }
          const proposed = createState(stateContext, draft.state ?? { type: 'PENDING' })
          const run = initialSnapshot(id, draft)
          const outcome = transitionTaskRun(taskRunPolicyFor(proposed, true), {
            ...stateContext,
            run,
            current: null,
            proposed,
            slots,
            settings,
            random: random.next,
          })
          writes.addEffects(outcome, now)
          const row: TaskRunRow = {
            id,
            created: now,
            updated: now,
            flow_run_id: draft.flow_run_id ?? null,
            name: draft.name || generateRunName(random),
            task_key: draft.task_key,
            dynamic_key: draft.dynamic_key,
            cache_key: draft.cache_key ?? null,
            cache_expiration: draft.cache_expiration ?? null,
            task_version: draft.task_version ?? null,
            empirical_policy: JSON.stringify(draft.empirical_policy),
            tags: JSON.stringify(draft.tags),
            labels: mergeLabels([flowRun?.labels], { 'prefect.flow-run.id': draft.flow_run_id ?? null }, draft.labels),
            task_inputs: draft.task_inputs,
            recent_transitions: null,
            ...taskTransitionColumns(outcome.run),
          }
          runs.push(row)
          const parent = findFlowRun(tx, draft)
          if (parent) addTaskKey(parent, key)
          tx.memory.keep(rememberedTaskRuns, id, () => row)
          if (outcome.newState) states.push({ ...toStateRow(outcome.newState), task_run_id: id })
          runsByKey.set(key, row)
          return { isNew: true, row }
        })

        tx.insertLater('task_run', runs)
        tx.insertLater('task_run_state', states)
        await writes.flush(tx)
        return results
      },
    ),
)

async function readRunsWithId(tx: Tx, drafts: readonly TaskRunDraft[]): Promise<readonly TaskRunRow[]> {
  const ids = drafts.flatMap(({ id }) => (id ? [id] : []))
  return ids.length > 0 ? readTaskRuns(tx, ids) : []
}

async function readRunsByKey(tx: Tx, drafts: readonly TaskRunDraft[]): Promise<Map<string, TaskRunRow>> {
  const unknown = drafts.filter((draft) => {
    const flowRun = findFlowRun(tx, draft)
    return !flowRun || !lacksTaskKey(flowRun, taskRunKey(draft))
  })
  const rows = await readTaskRunsByKey(tx, unknown)
  return new Map(rows.map((row) => [taskRunKey(row), row]))
}

const flowRunsById = statement((dialect) => `select id, labels from flow_run where ${dialect.inList('id', '$1', 'uuid')}`)

type LabelledRun = { id: string; labels: string }

const findFlowRun = (tx: Tx, { flow_run_id }: TaskRunDraft) => (flow_run_id ? tx.memory.find(rememberedFlowRuns, flow_run_id) : undefined)

async function readFlowRuns(tx: Tx, drafts: readonly TaskRunDraft[]): Promise<Map<string, LabelledRun>> {
  const ids = new Set(drafts.flatMap(({ flow_run_id }) => (flow_run_id ? [flow_run_id] : [])))
  const found = new Map<string, LabelledRun>()
  for (const draft of drafts) {
    const flowRun = findFlowRun(tx, draft)
    if (flowRun?.labels) found.set(flowRun.id, { id: flowRun.id, labels: flowRun.labels })
  }
  const missing = [...ids].filter((id) => !found.has(id))
  const rows = missing.length === 0 ? [] : await tx.all<LabelledRun>(flowRunsById, [tx.dialect.list(missing)])
  for (const row of rows) found.set(row.id, row)
  return found
}

const initialSnapshot = (id: string, draft: TaskRunDraft): TaskRunSnapshot => ({
  id,
  state: null,
  run_count: 0,
  expected_start_time: null,
  next_scheduled_start_time: null,
  start_time: null,
  end_time: null,
  total_run_time: 0,
  flow_run_id: draft.flow_run_id ?? null,
  flow_run_run_count: 0,
  tags: draft.tags,
  empirical_policy: draft.empirical_policy,
  flowRun: null,
  cached: null,
})
