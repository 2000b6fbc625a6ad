import { escapeCsvCell } from '../../lib/csv.ts'
import { formatTime } from '../../lib/time.ts'
import type { Db } from '../../storage/database.ts'
import { type LogRow, readLogPage } from './store.ts'

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
