import { deferTaskRuns } from '../runs/save.ts'
import { statement, type Tx } from '../storage/database.ts'
import { adoptSlots } from './adopt-slots.ts'
import { finishAdoption } from './adoption-store.ts'
import type { AdoptContext } from './step.ts'

// The other two rows are counters of the log.
const skipPastEvents = statement(`update event_cursor set seen = (select coalesce(max(position), 0) from
  (select max(position) as position from event union all select max(last) from event_segment) heads) where name not in ('event-segments', 'event-trims')`)
const bumpAutomationRevision = statement('update automation_revision set revision = revision + 1')
const scheduledTasks = statement(`select id, state_details from task_run where flow_run_id is null and state_type = 'SCHEDULED'`)

/** The last transaction of a copy, which needs all rows: leases, deferred tasks and cursors. */
export async function finalizeAdoption(adoption: AdoptContext, tx: Tx): Promise<void> {
  const { clock } = adoption.context
  await adoptSlots(adoption, tx)
  const deferred = await readDeferredTasks(tx)
  if (deferred.length > 0) await tx.run(deferTaskRuns, [tx.dialect.list(deferred), clock.now()])
  // Consumers start after the adopted events, so that automations do not act on them again.
  await tx.run(skipPastEvents)
  await tx.run(bumpAutomationRevision)
  await finishAdoption(tx, clock.now())
}

/** Tasks that wait for a task worker. The other server keeps this queue in memory. */
async function readDeferredTasks(tx: Tx): Promise<string[]> {
  const rows = await tx.all<{ id: string; state_details: string | null }>(scheduledTasks)
  return rows.filter(({ state_details }) => (JSON.parse(state_details ?? '{}') as { deferred?: boolean }).deferred).map(({ id }) => id)
}
