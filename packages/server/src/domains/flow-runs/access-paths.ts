import type { FlowRunFilter } from '@millrace/contracts/flow-run-filter.ts'
import { type RawBuilder, sql } from 'kysely'
import { all, type Condition, compare, exists } from '../../storage/criteria.ts'
import type { Db } from '../../storage/database.ts'
import { col, type Dialect } from '../../storage/dialect.ts'
import { type DistinctState, distinctStatesMax, matchesStateFilter, readDistinctStates } from '../distinct-states.ts'
import { flowWhere } from '../flows/filter.ts'
import { flowRunsWhere, queuesWhere, type RelatedFilters } from '../relations.ts'
import { effectiveStart, flowRunWhere } from './filter.ts'

/** What the indexes of runs that begin with a column of a filter go on with. */
export type IndexOrder = 'expected' | 'started'

/** The runs of one value, side by side in one index. */
export interface IndexRange {
  /** A table, and which index of it: SQLite takes a rare state for a common one, and walks a million runs to find the few that are late. */
  readonly from: RawBuilder<unknown>
  readonly id: RawBuilder<unknown>
  readonly key: RawBuilder<unknown>
  /** What the index answers. */
  readonly where: Condition
  /** What is left to ask of each run. */
  readonly remaining: readonly Condition[]
}

/** One of the filters, as the ranges of an index that hold the runs it asks for: a way to the runs that all filters ask for. */
export interface AccessPath {
  readonly name: 'deployment' | 'flow' | 'tag' | 'state' | 'queue' | 'time'
  ranges(order: IndexOrder): IndexRange[]
  /** Whether each range has that order. */
  hasOrder(order: IndexOrder): boolean
}

/** Branches of one query at most. */
const rangesMax = 32

const keys = { expected: sql`flow_run.expected_start_time`, started: effectiveStart }

/** The ways that the filters open; the one that narrows most, as a rule, comes first. */
export async function listAccessPaths(db: Db, filters: RelatedFilters): Promise<AccessPath[]> {
  const asked = filters.flow_runs?.operator === 'or_' ? null : filters.flow_runs
  const time = asked?.expected_start_time
  const without = (...names: (keyof FlowRunFilter)[]): RelatedFilters['flow_runs'] =>
    asked ? { ...asked, expected_start_time: null, ...Object.fromEntries(names.map((name) => [name, null])) } : filters.flow_runs
  const ofRuns = (values: readonly Condition[], rest: RelatedFilters, indexes: Record<IndexOrder, string>) => (order: IndexOrder) =>
    values.map(
      (value): IndexRange => ({
        from: sql`flow_run ${db.dialect.indexHint(indexes[order])}`,
        id: sql`flow_run.id`,
        key: keys[order],
        where: all([value, ...(time ? [flowRunWhere(db.dialect, { operator: 'and_', expected_start_time: time })] : [])]),
        remaining: isEmptyFilter(rest) ? [] : [flowRunsWhere(db.dialect, rest)],
      }),
    )
  const equal = (column: string, values: readonly string[]) => [...new Set(values)].map((value): Condition => sql`${sql.ref(column)} = ${value}`)
  const paths: AccessPath[] = []

  const deployments = asked?.deployment_id
  if (deployments?.any_ && deployments.is_null_ == null && deployments.any_.length <= rangesMax) {
    const values = equal('flow_run.deployment_id', deployments.any_)
    const indexes = { expected: 'flow_run_by_deployment_expected', started: 'flow_run_by_deployment' }
    paths.push({ name: 'deployment', ranges: ofRuns(values, { ...filters, flow_runs: without('deployment_id') }, indexes), hasOrder: () => true })
  }
  const flows = filters.flows && (await matchingFlows(db, filters.flows))
  if (flows) {
    const indexes = { expected: 'flow_run_by_flow_expected', started: 'flow_run_by_flow' }
    paths.push({
      name: 'flow',
      ranges: ofRuns(equal('flow_run.flow_id', flows), { ...filters, flows: null, flow_runs: without() }, indexes),
      hasOrder: () => true,
    })
  }
  const tags = asked?.tags
  if (tags?.all_?.length && tags.operator !== 'or_') {
    const [rarest, ...others] = await sortTagsByRarity(db, tags.all_)
    const left = { ...filters, flow_runs: { ...asked, expected_start_time: null, tags: { ...tags, all_: null } } }
    const rest = isEmptyFilter(left) ? undefined : flowRunsWhere(db.dialect, left)
    paths.push({ name: 'tag', ranges: (order) => [tagRange(db.dialect, rarest as string, others, rest, time, order)], hasOrder: () => true })
  }
  const states = asked?.state && hasStateCriteria(asked.state) ? await readMatchingStates(db, asked.state) : undefined
  if (states) {
    const rest = { ...filters, flow_runs: without('state') }
    const byName = ofRuns(
      states.map(({ type, name }) => sql<boolean>`flow_run.state_type = ${type} and flow_run.state_name = ${name}`),
      rest,
      { expected: 'flow_run_history', started: 'flow_run_history' },
    )
    const types = typesOnly(asked?.state)
    const byType = types && ofRuns(equal('flow_run.state_type', types), rest, { expected: 'flow_run_by_state', started: 'flow_run_by_state' })
    paths.push({
      name: 'state',
      ranges: (order) => (order === 'started' && byType ? byType(order) : byName(order)),
      hasOrder: (order) => order === 'expected' || byType !== undefined,
    })
  }
  const queues = await matchingQueues(db, filters)
  if (queues) {
    const rest = { ...filters, flow_runs: without(), work_pools: null, work_pool_queues: null, work_queues: null }
    const indexes = { expected: 'flow_run_of_queue', started: 'flow_run_of_queue' }
    paths.push({ name: 'queue', ranges: ofRuns(equal('flow_run.work_queue_id', queues), rest, indexes), hasOrder: (order) => order === 'expected' })
  }
  // Of a time that begins somewhere there may be few; one that only ends holds all that has been.
  if (time?.after_ != null) {
    const indexes = { expected: 'flow_run_by_expected_start', started: 'flow_run_by_expected_start' }
    paths.push({
      name: 'time',
      ranges: ofRuns([sql`1 = 1`], { ...filters, flow_runs: without() }, indexes),
      hasOrder: (order) => order === 'expected',
    })
  }
  return paths
}

/** How many runs each way leads to, no further than `most`: what the rest of the filters asks is not looked at. */
export async function countRanges(db: Db, paths: readonly AccessPath[], most: number): Promise<number[]> {
  const sizes: number[] = []
  for (const path of paths) {
    const ranges = path
      .ranges('expected')
      .map(({ from, where }) => sql`select * from (select 1 as one from ${from} where ${where} limit ${most}) one_range`)
    if (ranges.length === 0) return paths.map((each) => (each === path ? 0 : most))
    const counted = sql<{
      count: number
    }>`select count(*) as count from (select one from (${sql.join(ranges, sql` union all `)}) every limit ${most}) counted`
    sizes.push((await counted.execute(db.kysely)).rows[0]?.count ?? 0)
  }
  return sizes
}

function isEmptyFilter({ flow_runs, ...others }: RelatedFilters): boolean {
  const related = [others.flows, others.task_runs, others.deployments, others.work_pools, others.work_pool_queues, others.work_queues]
  if (related.some((filter) => filter != null)) return false
  const { operator: _, tags, ...asked } = flow_runs ?? {}
  return (
    (tags == null || (tags.any_ == null && tags.all_ == null && tags.is_null_ == null)) && Object.values(asked).every((criteria) => criteria == null)
  )
}

/** The types that are asked for, where nothing else is asked of states. */
function typesOnly(state: FlowRunFilter['state']): string[] | undefined {
  const { type, name } = state ?? {}
  return type?.any_ && !type.not_any_?.length && name == null ? type.any_ : undefined
}

const hasStateCriteria = ({ type, name }: NonNullable<FlowRunFilter['state']>): boolean =>
  [type, name].some((words) => words?.any_ != null || (words?.not_any_?.length ?? 0) > 0)

/** Flows are few: which of them are meant is asked first. Undefined when they are too many to be asked for one by one. */
async function matchingFlows(db: Db, filter: NonNullable<RelatedFilters['flows']>): Promise<string[] | undefined> {
  const { rows } = await sql<{ id: string }>`select flow.id from flow where ${flowWhere(db.dialect, filter)} limit ${rangesMax + 1}`.execute(
    db.kysely,
  )
  return rows.length > rangesMax ? undefined : rows.map(({ id }) => id)
}

/** The queues of the pools that are asked for, likewise. */
async function matchingQueues(db: Db, filters: RelatedFilters): Promise<string[] | undefined> {
  const where = queuesWhere(db.dialect, filters)
  if (!where) return undefined
  const { rows } = await sql<{ id: string }>`select work_queue.id from work_queue where ${where} limit ${rangesMax + 1}`.execute(db.kysely)
  return rows.length > rangesMax ? undefined : rows.map(({ id }) => id)
}

/**
 * The states, by type and name, that runs are in and that a filter asks for: each is one range of the index of history, in the order of the
 * expected starts. Undefined when there are too many to be asked for one by one.
 */
export async function readMatchingStates(db: Db, asked: NonNullable<FlowRunFilter['state']>): Promise<DistinctState[] | undefined> {
  const known = await readDistinctStates(db, 'flow_run')
  return known.length > distinctStatesMax ? undefined : known.filter((state) => matchesStateFilter(asked, state))
}

/** Beyond so many tags it does not matter which is the rarest. */
const comparedMax = 32

/** The tag that fewest runs carry comes first; beyond a few hundred it matters no longer which. */
export async function sortTagsByRarity(db: Db, tags: readonly string[]): Promise<string[]> {
  const unique = [...new Set(tags)]
  if (unique.length === 1) return unique
  const counts = unique
    .slice(0, comparedMax)
    .map((tag) => sql`select ${tag} as tag, (select count(*) from (select 1 from flow_run_tag where tag = ${tag} limit 500) few) as runs`)
  const { rows } = await sql<{ tag: string; runs: number }>`${sql.join(counts, sql` union all `)} order by runs`.execute(db.kysely)
  return [...rows.map(({ tag }) => tag), ...unique.slice(comparedMax)]
}

const tagIndexes = { expected: 'flow_run_tag_by_expected', started: 'flow_run_tag_by_start' }

/** Each of so few tags is a probe of an index by itself; more are bound as one value and counted. */
const probesMax = 8

/** Whether the run of an id carries all of the tags. */
export function hasAllTags(dialect: Dialect, id: RawBuilder<unknown>, tags: readonly string[]): Condition[] {
  const unique = [...new Set(tags)]
  if (unique.length <= probesMax) return unique.map((tag) => exists(sql`flow_run_tag has`, [sql`has.flow_run_id = ${id}`, sql`has.tag = ${tag}`]))
  const held = sql`select count(*) from flow_run_tag has where has.flow_run_id = ${id} and ${dialect.isIn(col('has.tag'), unique, 'text')}`
  return [sql<boolean>`(${held}) = ${unique.length}`]
}

/** The runs of one tag; whether they carry the others too is asked before their rows are looked at. */
export function tagRange(
  dialect: Dialect,
  tag: string,
  others: readonly string[],
  rest: Condition | undefined,
  time: FlowRunFilter['expected_start_time'],
  order: IndexOrder,
): IndexRange {
  return {
    from: sql`flow_run_tag ${dialect.indexHint(tagIndexes[order])}`,
    id: sql`flow_run_tag.flow_run_id`,
    key: sql.ref(`flow_run_tag.${order}`),
    where: all([sql`flow_run_tag.tag = ${tag}`, ...compare(dialect, col('flow_run_tag.expected'), time)]),
    remaining: [
      ...hasAllTags(dialect, sql`flow_run_tag.flow_run_id`, others),
      ...(rest ? [exists(sql`flow_run`, [sql`flow_run.id = flow_run_tag.flow_run_id`, rest])] : []),
    ],
  }
}
