import type { Log, LogFilter, LogSort } from '@millrace/contracts/log.ts'
import { sql } from 'kysely'
import { escapeCsvCell } from '../../lib/csv.ts'
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

const pageSize = 1000

const heading = 'timestamp,level,flow_run_id,task_run_id,message\r\n'

/** The logs of a flow run as a table, read a page at a time: however long it is, little of it is held. */
export async function* logsAsCsv(reads: Db, flowRunId: string): AsyncGenerator<string> {
  yield heading
  for (let after: LogRow | undefined; ; ) {
    const page = await readLogPage(reads, flowRunId, after, pageSize)
    if (page.length > 0) yield page.map(line).join('')
    if (page.length < pageSize) return
    after = page.at(-1)
  }
}

const line = (log: LogRow): string =>
  `${csvTime(log.timestamp)},${log.level},${log.flow_run_id ?? ''},${log.task_run_id ?? ''},${escapeCsvCell(log.message)}\r\n`

/** `2024-01-02 03:04:05+00:00`, with a fraction when there is one: spreadsheets read it, and it is what existing scripts parse. */
const csvTime = (time: number): string => formatTime(time).replace('T', ' ').replace('.000000', '').replace('Z', '+00:00')
