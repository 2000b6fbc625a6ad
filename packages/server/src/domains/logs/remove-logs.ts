import type { Parts } from '../../storage/parts.ts'
import { deleteLogsOf } from './store.ts'

const batchSize = 2000

/** Deletes the logs of flow runs that are gone: a transaction for each few thousand, so that nobody waits behind a run of a million lines. */
export async function removeLogsOf({ lane }: Parts, flowRunIds: readonly string[]): Promise<void> {
  for (;;) {
    const deleted = await lane.submit((tx) => deleteLogsOf(tx, flowRunIds, batchSize))
    if (deleted < batchSize) return
  }
}
