import { formatTime } from '../../lib/time.ts'
import { statement, type Tx } from '../../storage/database.ts'
import type { ServerContext } from '../../storage/server-context.ts'
import { flowRunTransitionBatch } from './set-state.ts'

const expired = statement(
  (dialect) => `select id from flow_run where state_type = 'PAUSED' and ${dialect.jsonText('state_details', 'pause_timeout')} < $1
    order by id limit $2 ${dialect.skipLocked}`,
)

/** Fails runs that were paused and not resumed in time: `limit` at a time; how many there were. Times are written so that their texts sort as they do. */
export const expirePauses =
  (context: ServerContext, limit: number) =>
  async (tx: Tx): Promise<number> => {
    const runs = await tx.all<{ id: string }>(expired, [formatTime(context.clock.now()), limit])
    if (runs.length === 0) return 0
    const state = { type: 'FAILED', message: 'The run was paused, and nobody resumed it in time.' } as const
    await flowRunTransitionBatch(context)(
      tx,
      runs.map(({ id }) => ({ id, state, force: true })),
    )
    return runs.length
  }
