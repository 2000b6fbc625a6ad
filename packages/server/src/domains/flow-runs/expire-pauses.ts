import { sortableTime } from '../../lib/time.ts'
import { changeRunsIn } from '../../runs/batch.ts'
import { statement, type Tx } from '../../storage/database.ts'
import type { ActingContext } from '../../storage/server-context.ts'

const expired = statement(
  (dialect) => `select id from flow_run where state_type = 'PAUSED' and ${dialect.jsonText('state_details', 'pause_timeout')} < $1
    order by id limit $2 ${dialect.skipLocked}`,
)

/** Fails up to `limit` runs whose pause timed out and returns their number. The stored time texts sort by time. */
export const expirePauses =
  (context: ActingContext, limit: number) =>
  async (tx: Tx): Promise<number> => {
    const runs = await tx.all<{ id: string }>(expired, [sortableTime(context.clock.now()), limit])
    if (runs.length === 0) return 0
    const state = { type: 'FAILED', message: 'The pause timed out: the run was not resumed in time.' } as const
    await changeRunsIn(
      context,
      tx,
      runs.map(({ id }) => ({ kind: 'propose_flow_run' as const, actor: context.actor, id, state, force: true })),
    )
    return runs.length
  }
