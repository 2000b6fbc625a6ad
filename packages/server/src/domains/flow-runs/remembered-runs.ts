import type { Tx } from '../../storage/database.ts'
import { rowKind } from '../../storage/remembered-rows.ts'
import { type FoundRuns, findOthers } from '../found-runs.ts'
import { lockSnapshots, type SnapshotRow } from './transition-store.ts'

/** What a server that is alone remembers of a flow run: the row for its next transition, and what its task runs need. */
export interface RememberedFlowRun extends SnapshotRow {
  readonly updated: number
  /** Null if unknown. */
  readonly labels: string | null
  /** The keys of all of its task runs; null if unknown. */
  taskKeys: Set<string> | null
}

export const rememberedFlowRuns = rowKind<RememberedFlowRun>('flow_run')

/** A run with more task runs than this, or with a longer key, has them looked up. */
const taskKeysMax = 32
const taskKeyCharactersMax = 300

/** Whether the flow run has no task run with this key. False if that is unknown. */
export const lacksTaskKey = ({ taskKeys }: RememberedFlowRun, key: string): boolean => taskKeys !== null && !taskKeys.has(key)

/** Called before the commit. If there is none, the key is looked up in vain. */
export function addTaskKey(flowRun: RememberedFlowRun, key: string): void {
  if (flowRun.taskKeys === null) return
  if (flowRun.taskKeys.size < taskKeysMax && key.length <= taskKeyCharactersMax) flowRun.taskKeys.add(key)
  else flowRun.taskKeys = null
}

/** Takes the remembered runs, and reads and locks the others. */
export function findSnapshots(tx: Tx, ids: readonly string[]): Promise<FoundRuns<SnapshotRow>> {
  const remembered = ids.flatMap((id) => tx.memory.take(rememberedFlowRuns, id) ?? [])
  return findOthers<SnapshotRow>(remembered, ids, (missing) => lockSnapshots(tx, missing))
}
