import { deferTaskRuns } from '../domains/task-runs/deferred-tasks.ts'
import { statement, type Tx } from '../storage/database.ts'
import { finishAdoption } from './record.ts'
import { adoptSlots } from './slots-in-use.ts'
import type { Work } from './step.ts'

const pastEvents = statement('update event_cursor set seen = (select coalesce(max(position), 0) from event)')
const newAutomations = statement('update automation_revision set revision = revision + 1')
const waitingTasks = statement(`select id, state_details from task_run where flow_run_id is null and state_type = 'SCHEDULED'`)

/** What follows from all rows together, once they are there; the last transaction of a copy. */
export async function settle(work: Work, tx: Tx): Promise<void> {
  const { clock } = work.context
  await adoptSlots(work, tx)
  await deferTaskRuns(tx, await deferredTasks(tx), clock.now())
  // Readers of the log begin after what the other server has seen: nothing that happened there happens here again.
  await tx.run(pastEvents)
  await tx.run(newAutomations)
  await finishAdoption(tx, clock.now())
}

/** Tasks that wait for a task worker; the other server keeps them in memory. */
async function deferredTasks(tx: Tx): Promise<string[]> {
  const rows = await tx.all<{ id: string; state_details: string | null }>(waitingTasks)
  return rows.filter(({ state_details }) => (JSON.parse(state_details ?? '{}') as { deferred?: boolean }).deferred).map(({ id }) => id)
}
