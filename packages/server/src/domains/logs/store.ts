import type { Log, LogFilter, LogSort } from '@millrace/contracts/log.ts'
import { sql } from 'kysely'
import { escapeCsvCell } from '../../lib/csv.ts'
import { formatTime } from '../../lib/time.ts'
import { type Db, statement, type Tx } from '../../storage/database.ts'
import { col } from '../../storage/dialect.ts'
import type { Row } from '../../storage/tables.ts'
import { logOrder, logWhere, runColumnOf } from './filter.ts'

export type LogRow = Row<'log'>

/** A log never changes, so `updated` equals `created`. */
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

/**
 * Without a run, no index finds a level or a text. Such a search reads the first logs, in the requested order, that match the times, up to this number:
 * so its cost does not grow with the table.
 */
export const searchedLogsMax = 20_000

export async function listLogs(db: Db, filter: LogFilter | null, options: { sort: LogSort; limit: number; offset: number }): Promise<LogRow[]> {
  const { sort, limit, offset } = options
  const order = logOrder(sort, filter ? runColumnOf(filter) : undefined)
  const search = filter && splitLogSearch(filter)
  const searched =
    search && sql`(select log.* from log where ${logWhere(db.dialect, search.times)} order by ${order} limit ${sql.lit(searchedLogsMax)}) log`
  const where = filter ? sql`where ${logWhere(db.dialect, search ? search.others : filter)}` : sql``
  const query = sql<LogRow>`select log.* from ${searched ?? sql`log`} ${where} order by ${order} limit ${sql.lit(limit)} offset ${offset}`
  return (await query.execute(db.kysely)).rows
}

/** Undefined if an index serves the filter. */
function splitLogSearch(filter: LogFilter): { readonly times: LogFilter; readonly others: LogFilter } | undefined {
  const { operator, timestamp, ...others } = filter
  if (operator === 'or_' || filter.flow_run_id?.any_ || filter.task_run_id?.any_ || !(filter.level || filter.text || filter.task_run_id))
    return undefined
  return { times: { operator, timestamp }, others: { operator, ...others } }
}

const removeOfFlowRuns = statement((dialect) => `delete from log where ${dialect.inList('flow_run_id', '$1', 'uuid')}`)
const removeOfTaskRun = statement('delete from log where task_run_id = $1')

export const deleteLogsOfFlowRuns = (tx: Tx, flowRunIds: readonly string[]): Promise<number> =>
  tx.run(removeOfFlowRuns, [tx.dialect.list(flowRunIds)])
export const deleteLogsOfTaskRun = (tx: Tx, taskRunId: string): Promise<number> => tx.run(removeOfTaskRun, [taskRunId])

/** One page of the logs of a flow run by time, starting after the last log of the previous page. */
export async function readLogPage(db: Db, flowRunId: string, after: LogRow | undefined, limit: number): Promise<LogRow[]> {
  const ofRun = db.dialect.isIdBetween([col('log.flow_run_id'), col('log.timestamp')], flowRunId, after?.timestamp)
  const where = after ? sql`${ofRun} and (log.timestamp > ${after.timestamp} or log.id > ${after.id})` : ofRun
  const query = sql<LogRow>`select log.* from log where ${where} order by ${logOrder('TIMESTAMP_ASC', 'flow_run_id')} limit ${sql.lit(limit)}`
  return (await query.execute(db.kysely)).rows
}

const csvPageSize = 1000

const csvHeader = 'timestamp,level,flow_run_id,task_run_id,message\r\n'

/** Streams the logs of a flow run as CSV. It reads page by page to limit memory. */
export async function* logsAsCsv(reads: Db, flowRunId: string): AsyncGenerator<string> {
  yield csvHeader
  for (let after: LogRow | undefined; ; ) {
    const page = await readLogPage(reads, flowRunId, after, csvPageSize)
    if (page.length > 0) yield page.map(csvLine).join('')
    if (page.length < csvPageSize) return
    after = page.at(-1)
  }
}

const csvLine = (log: LogRow): string =>
  `${csvTime(log.timestamp)},${log.level},${log.flow_run_id ?? ''},${log.task_run_id ?? ''},${escapeCsvCell(log.message)}\r\n`

/** `2024-01-02 03:04:05+00:00`, with a fraction if there is one: the format of the reference, which spreadsheets can read. */
const csvTime = (time: number): string => formatTime(time).replace('T', ' ').replace('.000000', '').replace('Z', '+00:00')
