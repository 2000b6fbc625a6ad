import type { Log, LogFilter, LogSort } from '@millrace/contracts/log.ts'
import { sql } from 'kysely'
import { escapeCsvCell } from '../../lib/csv.ts'
import { LazyJson } from '../../lib/json.ts'
import { quoteWhileReading } from '../../lib/text-pieces.ts'
import { formatTime } from '../../lib/time.ts'
import { yieldToEventLoop } from '../../lib/time-slice.ts'
import type { Db, Tx } from '../../storage/database.ts'
import { col } from '../../storage/dialect.ts'
import { lazyColumns, selectLazyColumns } from '../../storage/lazy-columns.ts'
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

/** A line can have a megabyte. Clients take a page with fewer lines than they asked for to be the last, so that it cannot end earlier. */
const longNames = ['message', 'name'] as const
const longLines = lazyColumns('log', [...longNames])

/** Lines whose ids come from clients may be stored already, and stay as they are. */
export const insertLogs = (tx: Tx, rows: readonly LogRow[], mayBeStored: boolean): Promise<void> =>
  tx.write([{ insert: 'log', rows, onConflict: mayBeStored ? 'on conflict do nothing' : '' }])

/**
 * Without a run, no index finds a level or a text. Such a search reads the first logs, in the requested order, that match the times, up to this number:
 * so its cost does not grow with the table.
 */
export const searchedLogsMax = 20_000

/** The rows are only usable in responses: long messages are loaded while the response is written. */
export async function listLogs(db: Db, filter: LogFilter | null, options: { sort: LogSort; limit: number; offset: number }): Promise<LogRow[]> {
  const { sort, limit, offset } = options
  const order = logOrder(sort, filter ? runColumnOf(filter) : undefined)
  const search = filter && splitLogSearch(filter)
  const searched =
    search && sql`(select log.* from log where ${logWhere(db.dialect, search.times)} order by ${order} limit ${sql.lit(searchedLogsMax)}) log`
  const where = filter ? sql`where ${logWhere(db.dialect, search ? search.others : filter)}` : sql``
  const columns = selectLazyColumns(longLines, db)
  const query = sql<LogRow>`select ${columns} from ${searched ?? sql`log`} ${where} order by ${order} limit ${sql.lit(limit)} offset ${offset}`
  return longLines.fetch(db, (await query.execute(db.kysely)).rows).map((row) => readInPieces(db, row))
}

/**
 * Long texts of a log are read piece by piece while they are written. The pieces fit together because a log never changes. Whole texts of a megabyte stayed in
 * memory until the next collection of the old generation: 40 MB for four readers, and a megabyte for each client that does not read on.
 */
function readInPieces(db: Db, row: LogRow): LogRow {
  const read = (name: string) =>
    new LazyJson(async () =>
      quoteWhileReading(async (from, characters) => {
        const query = sql<{
          value: string | null
        }>`select substr(${sql.ref(name)}, ${from + 1}, ${characters}) as value from log where id = ${row.id}`
        return (await query.execute(db.kysely)).rows[0]?.value ?? null
      }),
    )
  const long = longNames.filter((name) => (row[name] as unknown) instanceof LazyJson)
  return long.length === 0 ? row : { ...row, ...Object.fromEntries(long.map((name) => [name, read(name)])) }
}

/** Undefined if an index serves the filter. */
function splitLogSearch(filter: LogFilter): { readonly times: LogFilter; readonly others: LogFilter } | undefined {
  const { operator, timestamp, ...others } = filter
  if (operator === 'or_' || filter.flow_run_id?.any_ || filter.task_run_id?.any_ || !(filter.level || filter.text || filter.task_run_id))
    return undefined
  return { times: { operator, timestamp }, others: { operator, ...others } }
}

/** A line of the CSV. A long message is loaded when its line is written. */
type CsvRow = Omit<LogRow, 'message' | 'name'> & { readonly message: string | LazyJson }

const longMessages = lazyColumns('log', ['message'], ['name'])

/** One page of the logs of a flow run by time, starting after the last log of the previous page. */
async function readCsvPage(db: Db, flowRunId: string, after: CsvRow | undefined): Promise<CsvRow[]> {
  const ofRun = db.dialect.isIdBetween([col('log.flow_run_id'), col('log.timestamp')], flowRunId, after?.timestamp)
  const where = after ? sql`${ofRun} and (log.timestamp > ${after.timestamp} or log.id > ${after.id})` : ofRun
  const columns = selectLazyColumns(longMessages, db)
  const query = sql<CsvRow>`select ${columns} from log where ${where} order by ${logOrder('TIMESTAMP_ASC', 'flow_run_id')} limit ${sql.lit(csvPageSize)}`
  return longMessages.fetch(db, (await query.execute(db.kysely)).rows)
}

/** At most 16 MB, since longer messages are loaded one by one. */
const csvPageSize = 250

const csvHeader = 'timestamp,level,flow_run_id,task_run_id,message\r\n'

/** Streams the logs of a flow run as CSV. It reads page by page to limit memory. */
export async function* logsAsCsv(reads: Db, flowRunId: string): AsyncGenerator<string> {
  yield csvHeader
  for (let after: CsvRow | undefined; ; ) {
    const page = await readCsvPage(reads, flowRunId, after)
    let lines = ''
    for (const log of page) {
      if (typeof log.message === 'string') {
        lines += csvLine(log, log.message)
      } else {
        yield lines
        yield csvLine(log, (JSON.parse((await Array.fromAsync(await log.message.load())).join('')) as string | null) ?? '')
        lines = ''
        await yieldToEventLoop()
      }
    }
    if (lines !== '') yield lines
    if (page.length < csvPageSize) return
    // A fast client never applies back-pressure.
    await yieldToEventLoop()
    after = page.at(-1)
  }
}

const csvLine = (log: CsvRow, message: string): string =>
  `${csvTime(log.timestamp)},${log.level},${log.flow_run_id ?? ''},${log.task_run_id ?? ''},${escapeCsvCell(message)}\r\n`

/** `2024-01-02 03:04:05+00:00`, with a fraction if there is one: the format of the reference, which spreadsheets can read. */
const csvTime = (time: number): string => formatTime(time).replace('T', ' ').replace('Z', '+00:00')
