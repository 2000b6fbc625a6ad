import { systemClock } from '../src/lib/time.ts'
import { statement } from '../src/storage/database.ts'
import { ReadDb } from '../src/storage/transaction.ts'
import { type ChangeProblems, findChangeProblems, readEventLog } from './acknowledged-changes.ts'
import { loadEventName } from './event-load.ts'
import type { Acknowledged } from './failover-load.ts'
import { openDatabasePool } from './open-pool.ts'

export interface WriteProblems extends ChangeProblems {
  readonly lostSentEvents: number
  readonly doubleSentEvents: number
  /** Seconds of the schedule without a run. */
  readonly missedSeconds: number
  readonly doubleSeconds: number
}

interface Expected {
  readonly changes: readonly Acknowledged[]
  /** The flow of these changes. */
  readonly flowId: string
  /** Events that clients sent. */
  readonly eventIds: readonly string[]
  /** A deployment of another flow, with a schedule that fires each second. */
  readonly deploymentId: string
}

const secondsOfSchedule = statement(
  `select expected_start_time / 1000000 as second, count(*) as runs from flow_run where deployment_id = $1 and expected_start_time <= $2 group by 1`,
)

/** Compares what servers have acknowledged with the rows of the database. */
export async function findWriteProblems(databaseUrl: string, { changes, flowId, eventIds, deploymentId }: Expected): Promise<WriteProblems> {
  const pool = await openDatabasePool(databaseUrl)
  try {
    const db = new ReadDb(pool.reads, pool.dialect)
    const sent = new Map<string, number>()
    for await (const { id, event } of readEventLog(db)) if (event === loadEventName) sent.set(id, (sent.get(id) ?? 0) + 1)
    const seconds = await db.all<{ second: number; runs: number }>(secondsOfSchedule, [deploymentId, systemClock().now()])
    const instants = seconds.map(({ second }) => second)
    return {
      ...(await findChangeProblems(db, changes, flowId)),
      lostSentEvents: eventIds.filter((id) => !sent.has(id)).length,
      doubleSentEvents: [...sent.values()].filter((count) => count > 1).length,
      missedSeconds: instants.length === 0 ? 1 : Math.max(...instants) - Math.min(...instants) + 1 - instants.length,
      doubleSeconds: seconds.filter(({ runs }) => runs > 1).length,
    }
  } finally {
    await pool.close()
  }
}
