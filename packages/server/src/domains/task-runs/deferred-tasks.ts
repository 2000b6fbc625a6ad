import { addSeconds, type Micros } from '../../lib/time.ts'
import type { TaskRunRow } from '../../runs/task-run-rows.ts'
import { type Db, statement, type Tx } from '../../storage/database.ts'
import { readTaskRun } from './store.ts'

/**
 * The queue of deferred task runs for task workers. A run is queued when it is scheduled and removed when a worker acknowledges it. While it is
 * delivered, it is claimed by the connection of the worker. A claim ends with the connection, or expires after this time if the server stops.
 */
const claimSeconds = 120

const free = '(claimed_until is null or claimed_until < $2)'
const anyFree = statement((dialect) => `select 1 as one from deferred_task where ${dialect.inList('task_key', '$1', 'text')} and ${free} limit 1`)
const firstFree = statement(
  (dialect) =>
    `select task_run_id, state_id from deferred_task where task_key = $1 and ${free} order by queued, task_run_id limit 1 ${dialect.skipLocked}`,
)
const claim = statement('update deferred_task set claimed_until = $2 where task_run_id = $1')
const unclaim = statement('update deferred_task set claimed_until = null where task_run_id = $1 and state_id = $2')
const remove = statement('delete from deferred_task where task_run_id = $1 and state_id = $2')

/** Whether a claim may succeed. Read only, so that polling does not write. */
export const hasDeferred = async (db: Db, keys: readonly string[], now: Micros): Promise<boolean> =>
  (await db.first(anyFree, [db.dialect.list(keys), now])) !== undefined

/** Claims the next run for a worker. Runs that are no longer scheduled are removed from the queue. */
export const claimDeferred =
  (keys: readonly string[], now: Micros) =>
  async (tx: Tx): Promise<TaskRunRow | undefined> => {
    // The order of the keys is the priority of the worker. Within one key, the oldest entry comes first.
    for (const key of new Set(keys)) {
      for (;;) {
        const found = await tx.first<{ task_run_id: string; state_id: string }>(firstFree, [key, now])
        if (!found) break
        const run = await readTaskRun(tx, found.task_run_id)
        if (run?.state_type === 'SCHEDULED' && run.state_id === found.state_id) {
          await tx.run(claim, [run.id, addSeconds(now, claimSeconds)])
          return run
        }
        await tx.run(remove, [found.task_run_id, found.state_id])
      }
    }
    return undefined
  }

/** Removes a run that a worker acknowledged. */
export const acknowledgeDeferred =
  ({ id, state_id }: TaskRunRow) =>
  (tx: Tx): Promise<number> =>
    tx.run(remove, [id, state_id])

/** Ends the claim, so that another worker gets the run. */
export const releaseDeferred =
  ({ id, state_id }: TaskRunRow) =>
  async (tx: Tx): Promise<void> => {
    await tx.run(unclaim, [id, state_id])
    tx.notify('deferred-tasks')
  }
