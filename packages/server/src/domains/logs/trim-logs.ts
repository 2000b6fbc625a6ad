import { earliestTime, type Micros } from '../../lib/time.ts'
import { statement, type Tx } from '../../storage/database.ts'

/** Logs are kept for months: a part for each day would be too many. */
const weekMicros = 7 * 24 * 60 * 60 * 1_000_000

const oldest = statement((dialect) => {
  const table = dialect.partitions?.defaultPartition('log') ?? 'log'
  return `delete from ${table} where id in (select id from ${table} where timestamp < $1 and timestamp > $3 order by timestamp limit $2)`
})

/** Removes the oldest logs between two instants, so many at most; how many there were. */
export const trimLogs = (tx: Tx, before: Micros, limit: number, after: Micros = earliestTime): Promise<number> =>
  tx.run(oldest, [before, limit, after])

/** Where logs are cut by time, drops the oldest week between two instants; about how many logs it had, undefined when there was none. */
export async function dropOldestPartition(tx: Tx, before: Micros, after: Micros = earliestTime): Promise<number | undefined> {
  const parts = tx.dialect.partitions
  return parts ? (await tx.first<{ rows: number }>(statement(parts.drop), ['log', weekMicros, after, before]))?.rows : undefined
}

/** Where logs are cut by time, makes the parts of this week and the next. */
export async function createPartitions(tx: Tx, now: Micros): Promise<number> {
  const parts = tx.dialect.partitions
  if (!parts) return 0
  let added = 0
  for (const at of [now, now + weekMicros]) if ((await tx.first<{ added: boolean }>(statement(parts.add), ['log', weekMicros, at]))?.added) added += 1
  return added
}

const someOfRuns = statement(
  (dialect) => `delete from log where id in (select id from log where ${dialect.inList('flow_run_id', '$1', 'uuid')} limit $2)`,
)

/** Removes logs of flow runs, so many at most; how many there were. */
export const trimLogsOfRuns = (tx: Tx, flowRunIds: readonly string[], limit: number): Promise<number> =>
  tx.run(someOfRuns, [tx.dialect.list(flowRunIds), limit])
