import type { FlowRunSort } from '@millrace/contracts/flow-run.ts'
import { type RawBuilder, sql } from 'kysely'
import { all, type Condition, exists } from '../../storage/criteria.ts'
import type { Db } from '../../storage/database.ts'
import { flowWhere } from '../flows/filter.ts'
import { flowRunsWhere, queuesWhere, type RelatedFilters } from '../relations.ts'
import { askedStates } from './asked-states.ts'
import { flowRunOrder, flowRunWhere, startedAt } from './filter.ts'
import { type Search, searchedMax, searchIn } from './searched-runs.ts'
import { type FlowRunWithPool, poolJoin, withPool } from './store.ts'

export interface ListOptions {
  readonly sort: FlowRunSort
  readonly limit: number
  readonly offset: number
}

/** Branches of one query at most, and rows that they may read together. */
const branchesMax = 32
const depthMax = 20_000

const expectedStart = sql`flow_run.expected_start_time`

/** What an order goes by, and which way. */
interface Ordered {
  readonly key: RawBuilder<unknown>
  readonly way: RawBuilder<unknown>
}

/** The orders for which there are indexes that begin with a column that filters ask for. */
const keys: Partial<Record<FlowRunSort, Ordered>> = {
  START_TIME_ASC: { key: startedAt, way: sql`asc` },
  START_TIME_DESC: { key: startedAt, way: sql`desc` },
  EXPECTED_START_TIME_ASC: { key: expectedStart, way: sql`asc` },
  EXPECTED_START_TIME_DESC: { key: expectedStart, way: sql`desc` },
}

/**
 * A page of runs. Its cost must not grow with the table, so that the ids are found first, in one range of an index for each value that
 * a filter asks for ("failed or crashed", "of these three deployments"), each range giving no more than the page needs; the rows
 * themselves are read for the page alone. A filter that no such range serves walks the runs in the order asked for.
 */
export async function listFlowRuns(db: Db, filters: RelatedFilters, options: ListOptions): Promise<FlowRunWithPool[]> {
  const order = flowRunOrder[options.sort]
  const ids = await pageIds(db, filters, options)
  const page = sql<FlowRunWithPool>`select ${sql.raw(withPool)} from (${ids}) page join flow_run on flow_run.id = page.id ${sql.raw(poolJoin)} order by ${order}`
  return (await page.execute(db.kysely)).rows
}

/** The ids of a page, as SQL. */
export async function pageIds(db: Db, filters: RelatedFilters, options: ListOptions): Promise<RawBuilder<unknown>> {
  const search = searchIn(filters)
  return search ? soughtIds(db, search, options) : firstIds(db, filters, options)
}

/** The same, with a filter by parameters taken as any other. */
export async function firstIds(db: Db, filters: RelatedFilters, options: ListOptions): Promise<RawBuilder<unknown>> {
  const { limit, offset, sort } = options
  const ordered = keys[sort]
  const branches = ordered && (await branchesOf(db, filters, options, ordered))
  if (branches?.length === 0) return sql`select flow_run.id from flow_run where 1 = 0`
  return branches
    ? sql`select id from (${sql.join(branches, sql` union all `)}) found order by key ${ordered.way}, id ${ordered.way} limit ${limit} offset ${offset}`
    : sql`select flow_run.id from flow_run where ${flowRunsWhere(db.dialect, filters)} order by ${flowRunOrder[sort]} limit ${limit} offset ${offset}`
}

async function soughtIds(db: Db, { within, sought }: Search, { sort, limit, offset }: ListOptions): Promise<RawBuilder<unknown>> {
  const searched = await firstIds(db, within, { sort, limit: searchedMax, offset: 0 })
  return sql`select flow_run.id from (${searched}) searched join flow_run on flow_run.id = searched.id
    where ${flowRunWhere(db.dialect, { operator: 'and_', ...sought })} order by ${flowRunOrder[sort]} limit ${limit} offset ${offset}`
}

/** One ordered, limited range for each value of the filter that narrows best; undefined when there is none. */
async function branchesOf(
  db: Db,
  filters: RelatedFilters,
  { limit, offset }: ListOptions,
  { key, way }: Ordered,
): Promise<RawBuilder<unknown>[] | undefined> {
  const most = offset + limit
  if (most > depthMax) return undefined
  const branch = (condition: Condition, rest: RelatedFilters, index = sql``) =>
    sql`select * from (select flow_run.id, ${key} as key from flow_run ${index} where ${all([condition, flowRunsWhere(db.dialect, rest)])} order by ${key} ${way}, flow_run.id ${way} limit ${most}) branch`
  const perValue = (column: string, values: readonly string[], rest: RelatedFilters) =>
    [...new Set(values)].map((value) => branch(sql`${sql.ref(column)} = ${value}`, rest))

  const asked = filters.flow_runs?.operator === 'or_' ? null : filters.flow_runs
  const deployments = asked?.deployment_id
  if (deployments?.any_ && deployments.is_null_ == null && fits(deployments.any_, most)) {
    return perValue('flow_run.deployment_id', deployments.any_, { ...filters, flow_runs: { ...asked, deployment_id: null } })
  }
  const flows = filters.flows && (await matchingFlows(db, filters.flows))
  if (flows && fits(flows, most)) return perValue('flow_run.flow_id', flows, { ...filters, flows: null })

  if (key === expectedStart) {
    const states = asked?.state && (await askedStates(db, asked.state))
    if (states && fits(states, most)) {
      const rest = { ...filters, flow_runs: { ...asked, state: null } }
      // Told which index, because SQLite takes a rare state for a common one and walks a million runs to find the few that are late.
      const index = db.dialect.useIndex('flow_run_history')
      return states.map(({ type, name }) => branch(sql`flow_run.state_type = ${type} and flow_run.state_name = ${name}`, rest, index))
    }
    const queues = asked?.state ? undefined : await matchingQueues(db, filters)
    if (queues && fits(queues, most)) {
      return perValue('flow_run.work_queue_id', queues, { ...filters, work_pools: null, work_pool_queues: null, work_queues: null })
    }
  }
  const tags = asked?.tags
  if (key === startedAt && tags?.all_?.length && tags.operator !== 'or_') {
    const [rarest, ...others] = await byRarity(db, tags.all_)
    const rest = { ...filters, flow_runs: { ...asked, tags: { ...tags, all_: null } } }
    return [taggedBranch(db, rarest as string, others, rest, way, most)]
  }
  const types = asked?.state?.type
  if (key === startedAt && types?.any_ && !types.not_any_?.length && asked?.state?.operator !== 'or_' && fits(types.any_, most)) {
    return perValue('flow_run.state_type', types.any_, { ...filters, flow_runs: { ...asked, state: { ...asked?.state, type: null } } })
  }
  return undefined
}

const fits = (values: readonly unknown[], most: number): boolean => values.length <= branchesMax && values.length * most <= depthMax

/** Flows are few: which of them are meant is asked first. Undefined when they are too many to be asked for one by one. */
async function matchingFlows(db: Db, filter: NonNullable<RelatedFilters['flows']>): Promise<string[] | undefined> {
  const { rows } = await sql<{ id: string }>`select flow.id from flow where ${flowWhere(db.dialect, filter)} limit ${branchesMax + 1}`.execute(
    db.kysely,
  )
  return rows.length > branchesMax ? undefined : rows.map(({ id }) => id)
}

/** The queues of the pools that are asked for, likewise. */
export async function matchingQueues(db: Db, filters: RelatedFilters): Promise<string[] | undefined> {
  const where = queuesWhere(db.dialect, filters)
  if (!where) return undefined
  const { rows } = await sql<{ id: string }>`select work_queue.id from work_queue where ${where} limit ${branchesMax + 1}`.execute(db.kysely)
  return rows.length > branchesMax ? undefined : rows.map(({ id }) => id)
}

/** The tag that fewest runs carry comes first; beyond a few hundred it matters no longer which. */
async function byRarity(db: Db, tags: readonly string[]): Promise<string[]> {
  const unique = [...new Set(tags)].slice(0, branchesMax)
  if (unique.length === 1) return unique
  const counts = unique.map(
    (tag) => sql`select ${tag} as tag, (select count(*) from (select 1 from flow_run_tag where tag = ${tag} limit 500) few) as runs`,
  )
  const { rows } = await sql<{ tag: string; runs: number }>`${sql.join(counts, sql` union all `)} order by runs`.execute(db.kysely)
  return [...rows.map(({ tag }) => tag), ...tags.filter((tag) => !unique.includes(tag))]
}

/** Walks the runs of one tag in their order; whether they carry the others too is asked before their rows are looked at. */
function taggedBranch(
  db: Db,
  tag: string,
  others: readonly string[],
  rest: RelatedFilters,
  way: RawBuilder<unknown>,
  most: number,
): RawBuilder<unknown> {
  const conditions = all([
    sql<boolean>`flow_run_tag.tag = ${tag}`,
    ...others.map((other) => exists(sql`flow_run_tag other`, [sql`other.flow_run_id = flow_run_tag.flow_run_id`, sql`other.tag = ${other}`])),
    exists(sql`flow_run`, [sql`flow_run.id = flow_run_tag.flow_run_id`, flowRunsWhere(db.dialect, rest)]),
  ])
  return sql`select * from (select flow_run_tag.flow_run_id as id, flow_run_tag.started as key from flow_run_tag where ${conditions} order by flow_run_tag.started ${way}, flow_run_tag.flow_run_id ${way} limit ${most}) branch`
}
