import { type Micros, toMicros } from '../lib/time.ts'
import type { SqlValue } from '../storage/connection.ts'
import type { Column } from './columns.ts'
import type { Source } from './source/source.ts'
import type { SkipRule, SourceRow, Step } from './step.ts'

export interface Page {
  readonly rows: readonly SourceRow[]
  /** The key of the last row, for the next page; undefined after the last page. */
  readonly next: string | undefined
}

export interface Counts {
  readonly total: number
  readonly skipped: readonly { readonly reason: string; readonly count: number }[]
}

export interface TableReader {
  /** `after` is `next` of the previous page. */
  page(after: string | null, limit: number): Promise<Page>
  count(): Promise<Counts>
}

/** Undefined when the source has no such table. */
export async function createTableReader(source: Source, step: Step): Promise<TableReader | undefined> {
  const sourceColumns = await source.columnsOf(step.from)
  if (sourceColumns.size === 0) return undefined
  const fields = Object.entries(step.columns).map(([name, column]) => toField(source, step, sourceColumns, name, column))
  const selected = fields.flatMap(({ select }) => select ?? [])
  const keys = source.order(step.from, step.order ?? 'storage')
  const skipRules = skipRulesOf(step)
  const filters = [...(step.rowFilter ? [step.rowFilter] : []), ...skipRules.map(({ where }) => `not (${where})`)].map(
    (condition) => `(${condition})`,
  )
  const head = `select ${[...selected, ...keys.map(({ column, type }, index) => `${column}${type && '::text'} as key_${index}`)].join(', ')}
    from ${step.from} ${step.joins ?? ''}`
  const afterKey = `(${keys.map(({ column }) => column).join(', ')}) > (${keys.map(({ type }, index) => `$${index + 1}${type}`).join(', ')})`
  const paged = (conditions: readonly string[]): string =>
    `${head} ${whereClause(conditions)} order by ${keys.map(({ column }) => column).join(', ')}`
  const [firstPage, nextPage] = [paged(filters), paged([...filters, afterKey])]

  return {
    async page(after, limit) {
      const values = after === null ? [] : (JSON.parse(after) as SqlValue[])
      const found = await source.all<Record<string, unknown>>(`${after === null ? firstPage : nextPage} limit ${limit}`, values)
      const last = found.at(-1)
      return {
        rows: found.map((row) => Object.fromEntries(fields.map(({ name, read }) => [name, read(row[name])]))),
        next: last && found.length === limit ? JSON.stringify(keys.map((_, index) => last[`key_${index}`])) : undefined,
      }
    },
    async count() {
      const countWhere = async (conditions: readonly string[]): Promise<number> =>
        Number((await source.all<{ count: number }>(`select count(*) as count from ${step.from} ${whereClause(conditions)}`))[0]?.count)
      const conditions = step.rowFilter ? [`(${step.rowFilter})`] : []
      const skipped: { reason: string; count: number }[] = []
      let rest = await countWhere(conditions)
      const total = rest
      // One rule at a time, so that a row with two reasons is counted once.
      for (const { where, reason } of skipRules) {
        conditions.push(`(not (${where}))`)
        const remaining = await countWhere(conditions)
        if (remaining < rest) skipped.push({ reason, count: rest - remaining })
        rest = remaining
      }
      return { total, skipped }
    },
  }
}

const whereClause = (conditions: readonly string[]): string => (conditions.length === 0 ? '' : `where ${conditions.join(' and ')}`)

interface Field {
  readonly name: string
  readonly select: string | undefined
  read(value: unknown): SqlValue
}

function toField(source: Source, step: Step, sourceColumns: ReadonlySet<string>, name: string, column: Column): Field {
  const from = column.from ?? name
  const isJoined = from.includes('.')
  const fallback = column.fallback ?? null
  if (!isJoined && !sourceColumns.has(from)) return { name, select: undefined, read: () => fallback }
  // Quoted, because one column is named limit.
  const expression = isJoined ? from : `${step.from}."${from}"`
  const target = step.optionalReferences?.[name]
  const checked = target ? `case when ${existsIn(expression, target)} then ${expression} end` : expression
  return {
    name,
    select: `${source.selectExpression(column.kind, checked)} as ${name}`,
    read: (value) => (value === null || value === undefined ? fallback : source.read(column.kind, value)),
  }
}

const existsIn = (column: string, table: string): string => `exists (select 1 from ${table} pointed where pointed.id = ${column})`

function skipRulesOf(step: Step): readonly SkipRule[] {
  const danglingReferences = Object.entries(step.requiredReferences ?? {}).map(([column, table]) => ({
    where: `${step.from}.${column} is not null and not ${existsIn(`${step.from}.${column}`, table)}`,
    reason: `${table.replaceAll('_', ' ')} not found`,
  }))
  return [...danglingReferences, ...(step.skipRules ?? [])]
}

/** The columns of a table that no step uses or ignores. */
export async function unknownColumns(source: Source, table: string, steps: readonly Step[]): Promise<string[]> {
  const used = new Set(
    steps
      .filter(({ from }) => from === table)
      .flatMap(({ columns, ignoredColumns = [] }) => [...ignoredColumns, ...Object.entries(columns).map(([name, { from }]) => from ?? name)]),
  )
  return [...(await source.columnsOf(table))].filter((name) => !used.has(name))
}

/** The start of each day (UTC) on which a table has rows. */
export async function readDistinctDays(source: Source, table: string, column: string): Promise<Micros[]> {
  const day = source.dialect === 'sqlite' ? `substr(${column}, 1, 10)` : `to_char(${column} at time zone 'utc', 'YYYY-MM-DD')`
  const rows = await source.all<{ day: string }>(`select distinct ${day} as day from ${table} order by 1`)
  return rows.map((row) => toMicros(`${row.day}T00:00:00.000000Z`))
}
