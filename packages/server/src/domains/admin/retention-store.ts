import type { Config } from '../../config.ts'
import type { Micros } from '../../lib/time.ts'
import { type Db, type Statement, statement, type Tx } from '../../storage/database.ts'
import type { Row } from '../../storage/tables.ts'
import { isDeletable } from '../flow-runs/delete-runs.ts'

export type RetentionKind = 'events' | 'logs' | 'flow_runs'
export const retentionKinds: readonly RetentionKind[] = ['events', 'logs', 'flow_runs']

/** How long each kind is kept; null: forever. */
export const retentionDays = ({ events, logs, flow_runs }: Config): Readonly<Record<RetentionKind, number | null>> => ({
  events: events.retention_days,
  logs: logs.retention_days,
  flow_runs: flow_runs.retention_days,
})

const records = statement('select * from retention')
const adoptedUntil = statement('select kept_until from adoption')
const databaseSize = statement((dialect) => dialect.databaseBytes)
const tableSizes = statement((dialect) => dialect.tableSizes)
const eventCount = statement('select coalesce((select sum(count) from event_segment), 0) + (select count(*) from event) as rows')

const tailStats = statement((dialect) => dialect.tableStats('event'))

/** The oldest row and the table statistics of each kind. Each query is one index seek, a small table or a statistic of the database. */
const kindQueries: Readonly<Record<RetentionKind, { oldest: Statement; stats: Statement }>> = {
  events: {
    oldest: statement('select min(at) as at from (select min(occurred) as at from event union all select min(oldest) from event_segment) places'),
    stats: statement((dialect) => dialect.tableStats('event_segment_part')),
  },
  logs: { oldest: statement('select min(timestamp) as at from log'), stats: statement((dialect) => dialect.tableStats('log')) },
  flow_runs: {
    // `end_time > 0` makes SQLite seek in the index; without it SQLite scans all ended runs.
    oldest: statement(`select end_time as at from flow_run where ${isDeletable} and end_time > 0 order by end_time, id limit 1`),
    stats: statement((dialect) => dialect.tableStats('flow_run')),
  },
}

export const readRetention = (db: Db): Promise<Row<'retention'>[]> => db.all<Row<'retention'>>(records)

interface KindStats {
  readonly oldest: Micros | null
  readonly rows: number
  readonly bytes: number | null
}

export async function readKindStats(db: Db, kind: RetentionKind): Promise<KindStats> {
  const queries = kindQueries[kind]
  const oldest = (await db.first<{ at: Micros | null }>(queries.oldest))?.at ?? null
  const stats = await db.first<{ rows: number; bytes: number | null }>(queries.stats)
  if (kind !== 'events') return { oldest, rows: Number(stats?.rows ?? 0), bytes: stats?.bytes ?? null }
  const tail = await db.first<{ bytes: number | null }>(tailStats)
  const rows = (await db.first<{ rows: number }>(eventCount))?.rows
  return { oldest, rows: Number(rows ?? 0), bytes: stats?.bytes == null ? null : stats.bytes + (tail?.bytes ?? 0) }
}

export const readDatabaseBytes = async (db: Db): Promise<number> => Number((await db.first<{ bytes: number }>(databaseSize))?.bytes ?? 0)

export interface TableSize {
  readonly name: string
  /** Approximate on PostgreSQL. */
  readonly rows: number
  readonly bytes: number
}

/** Every table, the largest first. Takes seconds on a large SQLite file. */
export const readTableSizes = async (db: Db): Promise<TableSize[]> =>
  (await db.all<TableSize>(tableSizes)).map(({ name, rows, bytes }) => ({ name, rows: Number(rows), bytes: Number(bytes) }))

/** Rows up to this time were adopted from another installation and are not removed; null if all rows can be removed. */
export const readAdoptedUntil = async (db: Db): Promise<Micros | null> =>
  (await db.first<{ kept_until: Micros | null }>(adoptedUntil))?.kept_until ?? null

/** Records a finished pass. */
export const recordTrim = (tx: Tx, kind: RetentionKind, count: number, now: Micros): Promise<number> =>
  tx.insert('retention', [{ kind, trimmed: count, last_run: now, last_trimmed: count }], {
    onConflict: `on conflict (kind) do update
      set trimmed = retention.trimmed + excluded.trimmed, last_run = excluded.last_run, last_trimmed = excluded.last_trimmed`,
  })
