import { type RawBuilder, sql } from 'kysely'
import { LazyJson } from '../lib/json.ts'
import type { Db } from './database.ts'
import type { Dialect } from './dialect.ts'
import { columnsOf, type TableName } from './tables.ts'

/** A value longer than this is fetched by itself when the answer is written, so that a page of such rows is never held as a whole. */
const inlineBytesMax = 64 * 1024

export interface LazyColumns {
  /** All columns of the table, for a list: those of large values are null, and `late_columns` has a bit for each of these. */
  text(dialect: Dialect): string
  /** Puts something in place of each value that was left out that fetches it when it is written. Such rows are good for answers alone. */
  fetch<R extends { readonly id: string }>(db: Db, rows: readonly R[]): R[]
}

/** Columns of a table that answers show as they are stored, and that may be large. */
export function lazyColumns(table: TableName, late: readonly string[]): LazyColumns {
  const columns = columnsOf(table)
  const texts = new Map<Dialect, string>()

  function make(dialect: Dialect): string {
    const isLarge = (name: string) => `${dialect.bytesOf(`${table}.${name}`)} > ${inlineBytesMax}`
    const shown = Object.keys(columns).map((name) =>
      late.includes(name) ? `case when ${isLarge(name)} then null else ${table}.${name} end as ${name}` : `${table}.${name}`,
    )
    const bits = late.map((name, index) => `case when ${isLarge(name)} then ${1 << index} else 0 end`)
    return `${shown.join(', ')}, ${bits.join(' + ')} as late_columns`
  }

  async function load(db: Db, name: string, id: string): Promise<string> {
    const query = sql<{ value: string | null }>`select ${sql.ref(name)} as value from ${sql.table(table)} where id = ${id}`
    // The row may be gone by now.
    const value = (await query.execute(db.kysely)).rows[0]?.value ?? null
    return value === null ? 'null' : columns[name]?.kind === 'text' ? JSON.stringify(value) : value
  }

  return {
    text(dialect) {
      const known = texts.get(dialect) ?? make(dialect)
      texts.set(dialect, known)
      return known
    },
    fetch: (db, rows) =>
      rows.map((row) => {
        const { late_columns: bits } = row as { late_columns?: number }
        if (!bits) return row
        const left = late.filter((_, index) => bits & (1 << index))
        return { ...row, ...Object.fromEntries(left.map((name) => [name, new LazyJson(() => load(db, name, row.id))])) }
      }),
  }
}

/** The same as SQL for Kysely. */
export const selectLazyColumns = (late: LazyColumns, { dialect }: Db): RawBuilder<unknown> => sql.raw(late.text(dialect))
