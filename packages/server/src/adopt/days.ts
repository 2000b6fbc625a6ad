import { type Micros, toMicros } from '../lib/time.ts'
import type { Source } from './source/source.ts'

/** The days on which a table has rows: the beginning of each. */
export async function readDistinctDays(source: Source, table: string, column: string): Promise<Micros[]> {
  const day = source.dialect === 'sqlite' ? `substr(${column}, 1, 10)` : `to_char(${column} at time zone 'utc', 'YYYY-MM-DD')`
  const rows = await source.all<{ day: string }>(`select distinct ${day} as day from ${table} order by 1`)
  return rows.map((row) => toMicros(`${row.day}T00:00:00.000000Z`))
}
