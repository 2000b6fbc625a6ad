import type { FlowRunFilter } from '@millrace/contracts/flow-run-filter.ts'
import { type RawBuilder, sql } from 'kysely'
import { type Db, statement } from '../../storage/database.ts'
import { type Dialect, likePattern } from '../../storage/dialect.ts'
import { flowRunsWhere, type RelatedFilters } from '../relations.ts'
import { flowRunWhere } from './filter.ts'

/**
 * No index covers parameters, nor parts of names that many runs on SQLite have: it would slow down the creation of every run. A search for them reads the
 * first runs, in the requested order, that match all other filters, up to this number: so its cost does not grow with the table. A search without
 * a match takes 0.1 seconds. To find older runs, narrow the search by time, deployment or state.
 */
export const searchRunsMax = 20_000

/** The same for a search for a part of a name without other filters: it reads the names from the index of the order. */
const searchedNamesMax = 200_000

/** A search for what no index covers. */
export interface RunSearch {
  readonly filters: RelatedFilters
  readonly otherFilters: RelatedFilters
  readonly searchFilter: Pick<FlowRunFilter, 'parameters' | 'name'>
  /** The searched part of a name. */
  readonly namePattern: string | undefined
}

/** Separates the filters that no index covers from the others. Undefined if there is none, or if it is one alternative of an `or_`. */
export async function splitSearch(db: Db, filters: RelatedFilters): Promise<RunSearch | undefined> {
  const filter = filters.flow_runs
  if (!filter || filter.operator === 'or_') return undefined
  const { parameters, name, ...others } = filter
  const hasParameters = parameters?.matches_ != null
  const pattern = name?.any_ == null ? name?.like_ : null
  const isNameSearch = pattern != null && pattern !== '' && !(await hasNameIndex(db, pattern))
  if (!hasParameters && !isNameSearch) return undefined
  return {
    filters,
    otherFilters: { ...filters, flow_runs: { ...others, ...(hasParameters ? {} : { parameters }), ...(isNameSearch ? {} : { name }) } },
    searchFilter: { ...(hasParameters ? { parameters } : {}), ...(isNameSearch ? { name } : {}) },
    namePattern: isNameSearch ? pattern : undefined,
  }
}

const nameIndex = statement((dialect) => dialect.nameIndexQuery as string)
const hasIndex = new WeakMap<Db, boolean>()

/**
 * Whether an index finds the runs whose names contain a text. PostgreSQL has one if migration 018 could create the extension `pg_trgm`. It serves
 * ASCII patterns only, because other patterns need the collation of the database to ignore case. Without three letters or digits in a row it would return all runs.
 */
async function hasNameIndex(db: Db, pattern: string): Promise<boolean> {
  if (db.dialect.nameIndexQuery === null || !/^[\0-\x7f]*$/.test(pattern) || !/[a-z\d]{3}/i.test(pattern)) return false
  const known = hasIndex.get(db)
  if (known !== undefined) return known
  const exists = (await db.first(nameIndex)) !== undefined
  hasIndex.set(db, exists)
  return exists
}

/** The ids of the searched runs that match. The subquery reads run by run: with a join PostgreSQL would read all runs. */
export const matchingIdsQuery = (dialect: Dialect, searched: RawBuilder<unknown>, filter: RunSearch['searchFilter']): RawBuilder<unknown> =>
  sql`select searched.id from (${searched}) searched
    where (select 1 from flow_run where flow_run.id = searched.id and ${flowRunWhere(dialect, { operator: 'and_', ...filter })}) = 1`

/** The ids of the runs with a part of a name among the first ones of an order, whose index contains the names. */
export const nameSearchQuery = (dialect: Dialect, pattern: string, indexHint: RawBuilder<unknown>, order: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`select searched.id from (select flow_run.id, flow_run.name from flow_run ${indexHint} order by ${order} limit ${sql.lit(searchedNamesMax)}) searched
    where ${dialect.isLike(sql`searched.name`, likePattern(pattern))}`

/** The ids of those of the given runs that match all filters, in order. With a `cross join` SQLite does not scan all runs in their order. */
export const givenRunsQuery = (dialect: Dialect, ids: readonly string[], filters: RelatedFilters, order: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`select flow_run.id from ${dialect.idRows(ids)} given cross join flow_run
    where flow_run.id = given.id and ${flowRunsWhere(dialect, filters)} order by ${order}`

/** A search in names is planned for its values: the index of names suits rare parts, and the index of the order common ones. */
export const plannerOf = (db: Db, { flow_runs }: RelatedFilters): Db['kysely'] => (flow_runs?.name?.like_ ? db.replanning : db.kysely)
