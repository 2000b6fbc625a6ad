import { earliestTime, type Micros } from '../../lib/time.ts'
import { statement, type Tx } from '../../storage/database.ts'

/** Logs have a partition per week: they are kept for months, and daily partitions would be too many. */
const weekMicros = 7 * 24 * 60 * 60 * 1_000_000

const oldest = statement((dialect) => {
  const table = dialect.partitions?.defaultPartition('log') ?? 'log'
  return `delete from ${table} where id in (select id from ${table} where timestamp < $1 and timestamp > $3 order by timestamp limit $2)`
})

/** Deletes up to `limit` of the oldest logs between two times and returns their number. */
export const trimLogs = (tx: Tx, before: Micros, limit: number, after: Micros = earliestTime): Promise<number> =>
  tx.run(oldest, [before, limit, after])

/** With partitions, drops the oldest week between two times. Returns the approximate number of its logs, or undefined if there was none. */
export async function dropOldestPartition(tx: Tx, before: Micros, after: Micros = earliestTime): Promise<number | undefined> {
  const { partitions } = tx.dialect
  return partitions ? (await tx.first<{ rows: number }>(statement(partitions.drop), ['log', weekMicros, after, before]))?.rows : undefined
}

/** With partitions, creates those of this week and the next. Returns the number of new ones. */
export async function createPartitions(tx: Tx, now: Micros): Promise<number> {
  const { partitions } = tx.dialect
  if (!partitions) return 0
  let added = 0
  for (const at of [now, now + weekMicros])
    if ((await tx.first<{ added: boolean }>(statement(partitions.add), ['log', weekMicros, at]))?.added) added += 1
  return added
}

const someOfRuns = statement(
  (dialect) => `delete from log where id in (select id from log where ${dialect.inList('flow_run_id', '$1', 'uuid')} limit $2)`,
)

/** Deletes up to `limit` logs of flow runs and returns their number. */
export const trimLogsOfRuns = (tx: Tx, flowRunIds: readonly string[], limit: number): Promise<number> =>
  tx.run(someOfRuns, [tx.dialect.list(flowRunIds), limit])
