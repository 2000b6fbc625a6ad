import type { Log, LogFilter, LogSort } from '@millrace/contracts/log.ts'
import { sql } from 'kysely'
import { formatTime } from '../../lib/time.ts'
import { type Db, statement, type Tx } from '../../storage/database.ts'
import type { Row } from '../../storage/tables.ts'
import { logOrder, logWhere } from './filter.ts'

export type LogRow = Row<'log'>

/** A log never changes, so that it was last updated when it was made. */
export const toLogResponse = (row: LogRow): Log => {
  const created = formatTime(row.created)
  return {
    id: row.id,
    created,
    updated: created,
    name: row.name,
    level: row.level,
    message: row.message,
    timestamp: formatTime(row.timestamp),
    flow_run_id: row.flow_run_id,
    task_run_id: row.task_run_id,
  }
}

export const insertLogs = (tx: Tx, rows: readonly LogRow[]): Promise<number> => tx.insert('log', rows)

export async function listLogs(db: Db, filter: LogFilter | null, options: { sort: LogSort; limit: number; offset: number }): Promise<LogRow[]> {
  const where = filter ? sql`where ${logWhere(db.dialect, filter)}` : sql``
  const query = sql<LogRow>`select log.* from log ${where} order by ${logOrder[options.sort]} limit ${options.limit} offset ${options.offset}`
  return (await query.execute(db.kysely)).rows
}

const ofRunAfter = statement(
  'select * from log where flow_run_id = $1 and timestamp >= $2 and (timestamp > $2 or id > $3) order by timestamp, id limit $4',
)
const ofRunFirst = statement('select * from log where flow_run_id = $1 order by timestamp, id limit $2')

/** The logs of a flow run in their order, a page at a time; each page begins after the last log of the one before. */
export const readLogPage = (db: Db, flowRunId: string, after: LogRow | undefined, limit: number): Promise<LogRow[]> =>
  after ? db.all<LogRow>(ofRunAfter, [flowRunId, after.timestamp, after.id, limit]) : db.all<LogRow>(ofRunFirst, [flowRunId, limit])
