import type { Micros } from '../../lib/time.ts'
import { type Db, statement } from '../../storage/database.ts'
import type { LogRow } from './store.ts'

/** Logs between two ids. The times limit the partitions to read. */
export interface LogRange {
  readonly first: string
  readonly last: string
  readonly since: Micros
  readonly until: Micros
  /** Continue after this id. */
  readonly after?: string
}

const anyTime = { since: Number.MIN_SAFE_INTEGER, until: Number.MAX_SAFE_INTEGER }
const idMax = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

/** The notification to other servers about a batch that this server wrote. */
export function encodeRange(rows: readonly LogRow[]): string {
  let { id: first, id: last, timestamp: since, timestamp: until } = rows[0] as LogRow
  for (const { id, timestamp } of rows) {
    if (id < first) first = id
    if (id > last) last = id
    if (timestamp < since) since = timestamp
    if (timestamp > until) until = timestamp
  }
  return `${first} ${last} ${since} ${until}`
}

/** Undefined if the hint was too long to be sent. */
export function decodeRange(hint: string): LogRange | undefined {
  const [first, last, since, until] = hint.split(' ')
  return first && last ? { first, last, since: Number(since), until: Number(until) } : undefined
}

/** Logs since a time, but not before an id. Ids start with their creation time. */
export function rangeSince(time: Micros, id: string | undefined): LogRange {
  const milliseconds = Math.max(0, Math.floor(time / 1000))
    .toString(16)
    .padStart(12, '0')
  const first = `${milliseconds.slice(0, 8)}-${milliseconds.slice(8)}-0000-0000-000000000000`
  return { first: id && id > first ? id : first, last: idMax, ...anyTime }
}

const between = statement('select * from log where id >= $1 and id > $2 and id <= $3 and timestamp >= $4 and timestamp <= $5 order by id limit $6')
const idMin = '00000000-0000-0000-0000-000000000000'

export const readLogRange = (db: Db, { first, last, since, until, after }: LogRange, limit: number): Promise<LogRow[]> =>
  db.all<LogRow>(between, [first, after ?? idMin, last, since, until, limit])
