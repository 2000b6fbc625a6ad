import { type Micros, sortableTime } from '../../lib/time.ts'
import { lateFlowRunPolicy } from '../../orchestration/policies.ts'
import { changeRunsIn } from '../../runs/batch.ts'
import { statement, type Tx } from '../../storage/database.ts'
import type { ActingContext } from '../../storage/server-context.ts'

/** The position in the list of overdue runs. */
export interface OverdueCursor {
  readonly time: Micros
  readonly id: string
}

interface Overdue {
  readonly id: string
  readonly next_scheduled_start_time: Micros
}

const overdue = statement(
  (dialect) => `select id, next_scheduled_start_time from flow_run
    where state_type = 'SCHEDULED' and state_name = 'Scheduled' and next_scheduled_start_time <= $1
      and (next_scheduled_start_time, id) > ($2, $3)
    order by next_scheduled_start_time, id limit $4 ${dialect.skipLocked}`,
)

/** The position before the first run. */
export const overdueStart: OverdueCursor = { time: 0, id: '00000000-0000-0000-0000-000000000000' }

export interface MarkedLate {
  readonly marked: number
  /** Undefined at the end of the list. */
  readonly next: OverdueCursor | undefined
}

/**
 * Marks up to `limit` runs late that were scheduled to start before `horizon`. Runs that the rules reject are skipped. Locked runs are skipped too:
 * they are being started, or marked by another server.
 */
export const markLate =
  (context: ActingContext, horizon: Micros, after: OverdueCursor, limit: number) =>
  async (tx: Tx): Promise<MarkedLate> => {
    const runs = await tx.all<Overdue>(overdue, [horizon, after.time, after.id, limit])
    const last = runs.at(-1)
    if (!last) return { marked: 0, next: undefined }
    const results = await changeRunsIn(
      context,
      tx,
      runs.map(({ id, next_scheduled_start_time: time }) => ({
        kind: 'propose_flow_run' as const,
        actor: context.actor,
        id,
        state: { type: 'SCHEDULED', name: 'Late', state_details: { scheduled_time: sortableTime(time) } },
        policy: lateFlowRunPolicy,
      })),
    )
    const marked = results.filter((result) => !(result instanceof Error) && result.written).length
    return { marked, next: runs.length < limit ? undefined : { time: last.next_scheduled_start_time, id: last.id } }
  }
