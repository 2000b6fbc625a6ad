import type { Tx } from '../../storage/database.ts'
import { rowKind } from '../../storage/remembered-rows.ts'
import { type RememberedFlowRun, rememberedFlowRuns } from '../flow-runs/remembered-runs.ts'
import { type FoundRuns, findOthers } from '../found-runs.ts'
import { lockTaskSnapshots, type TaskSnapshotRow } from './transition-store.ts'

/** What a server that is alone remembers of a task run. Its flow run and the limits are remembered for themselves. */
export type RememberedTaskRun = Omit<TaskSnapshotRow, keyof ReturnType<typeof flowRunColumns> | 'tag_limits'> & { readonly updated: number }

export const rememberedTaskRuns = rowKind<RememberedTaskRun>('task_run')

/** Whether tags have limits. */
const rememberedTagLimits = rowKind<Pick<TaskSnapshotRow, 'tag_limits'>>('concurrency_limit', 'tag_limits')

/** Takes the remembered task runs, and reads and locks the others. */
export function findTaskSnapshots(tx: Tx, ids: readonly string[]): Promise<FoundRuns<TaskSnapshotRow>> {
  return findOthers<TaskSnapshotRow>(takeRemembered(tx, ids), ids, async (missing) => {
    const read = await lockTaskSnapshots(tx, missing)
    const [first] = read
    if (first) tx.memory.keep(rememberedTagLimits, '', () => ({ tag_limits: first.tag_limits }))
    return read
  })
}

function takeRemembered(tx: Tx, ids: readonly string[]): (TaskSnapshotRow & RememberedTaskRun)[] {
  const limits = tx.memory.find(rememberedTagLimits, '')
  if (!limits) return []
  return ids.flatMap((id) => {
    const row = tx.memory.find(rememberedTaskRuns, id)
    const flowRun = row?.flow_run_id ? tx.memory.find(rememberedFlowRuns, row.flow_run_id) : undefined
    if (!row || !flowRun) return []
    tx.memory.take(rememberedTaskRuns, id)
    return [{ ...row, ...flowRunColumns(flowRun), ...limits }]
  })
}

const flowRunColumns = (flowRun: RememberedFlowRun) => ({
  known_flow_run_id: flowRun.id,
  flow_run_count: flowRun.run_count,
  flow_state_id: flowRun.state_id,
  flow_state_type: flowRun.state_type,
  flow_state_name: flowRun.state_name,
  flow_state_timestamp: flowRun.state_timestamp,
  flow_state_details: flowRun.state_details,
})
