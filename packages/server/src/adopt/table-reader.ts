import type { SqlValue } from '../storage/connection.ts'
import type { Column } from './columns.ts'
import type { Source } from './source/source.ts'
import type { SkipRule, SourceRow, Step } from './step.ts'

export interface Page {
  readonly rows: readonly SourceRow[]
  /** Where the next page begins; undefined after the last. */
  readonly next: string | undefined
}

export interface Counts {
  readonly total: number
  readonly skipped: readonly { readonly reason: string; readonly count: number }[]
}

/** Reads the table of a step. */
export interface TableReader {
  /** `after` is what an earlier page said. */
  page(after: string | null, limit: number): Promise<Page>
  count(): Promise<Counts>
}

/** Undefined when the source has no such table. */
export async function createTableReader(source: Source, step: Step): Promise<TableReader | undefined> {
  const known = await source.columnsOf(step.from)
  if (known.size === 0) return undefined
  const fields = Object.entries(step.columns).map(([name, column]) => toField(source, step, known, name, column))
  const selected = fields.flatMap(({ select }) => select ?? [])
  const keys = source.order(step.from, step.order ?? 'place')
  const left = skipRulesOf(step)
  const wanted = [...(step.rowFilter ? [step.rowFilter] : []), ...left.map(({ where }) => `not (${where})`)].map((condition) => `(${condition})`)
  const head = `select ${[...selected, ...keys.map(({ column, type }, index) => `${column}${type && '::text'} as key_${index}`)].join(', ')}
    from ${step.from} ${step.joins ?? ''}`
  const following = `(${keys.map(({ column }) => column).join(', ')}) > (${keys.map(({ type }, index) => `$${index + 1}${type}`).join(', ')})`
  const paged = (conditions: readonly string[]): string =>
    `${head} ${whereClause(conditions)} order by ${keys.map(({ column }) => column).join(', ')}`
  const [first, further] = [paged(wanted), paged([...wanted, following])]

  return {
    async page(after, limit) {
      const values = after === null ? [] : (JSON.parse(after) as SqlValue[])
      const found = await source.all<Record<string, unknown>>(`${after === null ? first : further} limit ${limit}`, values)
      const last = found.at(-1)
      return {
        rows: found.map((row) => Object.fromEntries(fields.map(({ name, read }) => [name, read(row[name])]))),
        next: last && found.length === limit ? JSON.stringify(keys.map((_, index) => last[`key_${index}`])) : undefined,
      }
    },
    async count() {
      const counted = async (conditions: readonly string[]): Promise<number> =>
        Number((await source.all<{ count: number }>(`select count(*) as count from ${step.from} ${whereClause(conditions)}`))[0]?.count)
      const among = step.rowFilter ? [`(${step.rowFilter})`] : []
      const kept: string[] = [...among]
      const found: { reason: string; count: number }[] = []
      let rest = await counted(among)
      const total = rest
      // One after the other, so that a row with two reasons is counted once.
      for (const { where: condition, reason } of left) {
        kept.push(`(not (${condition}))`)
        const remaining = await counted(kept)
        if (remaining < rest) found.push({ reason, count: rest - remaining })
        rest = remaining
      }
      return { total, skipped: found }
    },
  }
}

const whereClause = (conditions: readonly string[]): string => (conditions.length === 0 ? '' : `where ${conditions.join(' and ')}`)

interface Field {
  readonly name: string
  readonly select: string | undefined
  read(value: unknown): SqlValue
}

function toField(source: Source, step: Step, known: ReadonlySet<string>, name: string, column: Column): Field {
  const from = column.from ?? name
  const joined = from.includes('.')
  const otherwise = column.fallback ?? null
  if (!joined && !known.has(from)) return { name, select: undefined, read: () => otherwise }
  // Quoted, as one of them is called limit.
  const place = joined ? from : `${step.from}."${from}"`
  const target = step.optionalReferences?.[name]
  const pointed = target ? `case when ${existsIn(place, target)} then ${place} end` : place
  return {
    name,
    select: `${source.selectExpression(column.kind, pointed)} as ${name}`,
    read: (value) => (value === null || value === undefined ? otherwise : source.read(column.kind, value)),
  }
}

const existsIn = (column: string, table: string): string => `exists (select 1 from ${table} pointed where pointed.id = ${column})`

function skipRulesOf(step: Step): readonly SkipRule[] {
  const astray = Object.entries(step.requiredReferences ?? {}).map(([column, table]) => ({
    where: `${step.from}.${column} is not null and not ${existsIn(`${step.from}.${column}`, table)}`,
    reason: `their ${table.replaceAll('_', ' ')} is gone`,
  }))
  return [...astray, ...(step.skipRules ?? [])]
}

/** The columns of a table that none of the steps knows of. */
export async function unknownColumns(source: Source, table: string, steps: readonly Step[]): Promise<string[]> {
  const used = new Set(
    steps
      .filter(({ from }) => from === table)
      .flatMap(({ columns, ignoredColumns: passedOver = [] }) => [...passedOver, ...Object.entries(columns).map(([name, { from }]) => from ?? name)]),
  )
  return [...(await source.columnsOf(table))].filter((name) => !used.has(name))
}
