import type { ObservedState, ObservedStateSort } from '@millrace/contracts/observed-state.ts'
import { formatTime, type Micros } from '../../lib/time.ts'
import { type Db, statement } from '../../storage/database.ts'
import { perServer, type ServerContext } from '../../storage/server-context.ts'

interface ObservedRow {
  readonly state_type: string
  readonly state_name: string
  readonly first_seen: Micros
  readonly last_seen: Micros
}

/** Clients choose names, so there may be as many as transitions. The ones seen last are kept. */
const observedMax = 10_000

const observed = statement(
  `select state_type, state_name, min(first_seen) as first_seen, max(last_seen) as last_seen from (
      select type as state_type, name as state_name, min(timestamp) as first_seen, max(timestamp) as last_seen from flow_run_state group by type, name
      union all
      select type, name, min(timestamp), max(timestamp) from task_run_state group by type, name
    ) history group by state_type, state_name order by last_seen desc, state_type, state_name limit ${observedMax}`,
)

interface HistoryReads {
  /** Starts after all requests that wait for it. */
  next?: Promise<readonly ObservedRow[]>
  last: Promise<unknown>
}

/**
 * The history of all states, read by one request at a time for all that wait (ADR 0055): transitions pay nothing for a list that few read, and many requests cost no
 * more than one.
 */
const historyReads = perServer((): HistoryReads => ({ last: Promise.resolve() }))

function readObserved(context: ServerContext): Promise<readonly ObservedRow[]> {
  const reads = historyReads(context)
  reads.next ??= readAfter(reads, context.longReads)
  return reads.next
}

function readAfter(reads: HistoryReads, db: Db): Promise<readonly ObservedRow[]> {
  const read = reads.last.then(() => {
    delete reads.next
    return db.all<ObservedRow>(observed)
  })
  reads.last = read.catch(() => undefined)
  return read
}

interface ObservedOptions {
  readonly query: string | null
  readonly sort: ObservedStateSort
  readonly limit: number
}

export async function listObservedStates(context: ServerContext, { query, sort, limit }: ObservedOptions): Promise<ObservedState[]> {
  const rows = await readObserved(context)
  const prefix = query?.trim().toLowerCase() ?? ''
  const matching = rows.filter((row) => [row.state_type, row.state_name].some((text) => text.toLowerCase().startsWith(prefix)))
  const sorted =
    sort === 'NAME_ASC' ? matching.sort((a, b) => compareTexts(a.state_type, b.state_type) || compareTexts(a.state_name, b.state_name)) : matching
  return sorted.slice(0, limit).map((row) => ({ ...row, first_seen: formatTime(row.first_seen), last_seen: formatTime(row.last_seen) }))
}

const compareTexts = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
