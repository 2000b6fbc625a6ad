import { statement } from '../../storage/database.ts'
import type { Parts } from '../../storage/parts.ts'

const left = `select heartbeat.flow_run_id from flow_run_heartbeat heartbeat join flow_run on flow_run.id = heartbeat.flow_run_id
  where flow_run.state_type in ('COMPLETED', 'FAILED', 'CANCELLED', 'CRASHED') limit $1`

const anyLeft = statement(left)
const remove = statement(`delete from flow_run_heartbeat where flow_run_id in (${left})`)

/** Removes what was kept of runs that have ended. Not done with their last state, which should not wait for it. */
export async function forgetEndedHeartbeats({ reads, lane }: Parts, limit: number): Promise<void> {
  for (let more = (await reads.first(anyLeft, [1])) !== undefined; more; ) {
    more = (await lane.submit((tx) => tx.run(remove, [limit]))) === limit
  }
}
