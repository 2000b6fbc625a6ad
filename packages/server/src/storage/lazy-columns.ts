import { type RawBuilder, sql } from 'kysely'
import { LazyJson } from '../lib/json.ts'
import { quoteInPieces, splitText } from '../lib/text-pieces.ts'
import type { Db } from './database.ts'
import type { Dialect } from './dialect.ts'
import { columnsOf, type TableName } from './tables.ts'

/** A larger value is loaded separately while the response is written, so that a page of such rows is never in memory at once. */
export const inlineBytesMax = 64 * 1024

export interface LazyColumns {
  /** The select list of all columns. Large values are null, and `lazy_columns` has a bit set for each of them. */
  text(dialect: Dialect): string
  /** Replaces each omitted value by a `LazyJson` that loads it. The rows are only usable in responses. */
  fetch<R extends { readonly id: string }>(db: Db, rows: readonly R[]): R[]
}

/** Declares the columns of a table that may be large and that responses contain as stored, and columns that are not selected at all. */
export function lazyColumns(table: TableName, lazy: readonly string[], omitted: readonly string[] = []): LazyColumns {
  const columns = columnsOf(table)
  const texts = new Map<Dialect, string>()

  function buildText(dialect: Dialect): string {
    const isLarge = (name: string) => dialect.isLargerThan(`${table}.${name}`, inlineBytesMax)
    const selected = Object.keys(columns).filter((name) => !omitted.includes(name))
    const shown = selected.map((name) =>
      lazy.includes(name) ? `case when ${isLarge(name)} then null else ${table}.${name} end as ${name}` : `${table}.${name}`,
    )
    const bits = lazy.map((name, index) => `case when ${isLarge(name)} then ${1 << index} else 0 end`)
    return `${shown.join(', ')}, ${bits.join(' + ')} as lazy_columns`
  }

  async function load(db: Db, name: string, id: string): Promise<Iterable<string>> {
    const query = sql<{ value: string | null }>`select ${sql.ref(name)} as value from ${sql.table(table)} where id = ${id}`
    // The row may have been deleted since.
    const value = (await query.execute(db.kysely)).rows[0]?.value ?? null
    if (value === null) return ['null']
    return columns[name]?.kind === 'text' ? quoteInPieces(value) : splitText(value)
  }

  return {
    text(dialect) {
      const cached = texts.get(dialect) ?? buildText(dialect)
      texts.set(dialect, cached)
      return cached
    },
    fetch: (db, rows) =>
      rows.map((row) => {
        const { lazy_columns: bits } = row as { lazy_columns?: number }
        if (!bits) return row
        const large = lazy.filter((_, index) => bits & (1 << index))
        return { ...row, ...Object.fromEntries(large.map((name) => [name, new LazyJson(() => load(db, name, row.id))])) }
      }),
  }
}

/** The select list for Kysely. */
export const selectLazyColumns = (lazy: LazyColumns, { dialect }: Db): RawBuilder<unknown> => sql.raw(lazy.text(dialect))
