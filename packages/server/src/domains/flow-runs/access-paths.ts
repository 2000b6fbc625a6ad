import type { FlowRunSort } from '@millrace/contracts/flow-run.ts'
import type { FlowRunFilter } from '@millrace/contracts/flow-run-filter.ts'
import { sql } from 'kysely'
import { all, type Condition, compare, exists } from '../../storage/criteria.ts'
import type { Db } from '../../storage/database.ts'
import { col, type Dialect } from '../../storage/dialect.ts'
import { deploymentWhere } from '../deployments/filter.ts'
import { type DistinctState, distinctStatesMax, matchesStateFilter, readDistinctStates } from '../distinct-states.ts'
import { flowWhere } from '../flows/filter.ts'
import { flowRunsWhere, queuesWhere, type RelatedFilters } from '../relations.ts'
import { effectiveStart, flowRunWhere, hasAllTags } from './filter.ts'
import type { AccessPath, IndexOrder, IndexRange } from './index-ranges.ts'
import { readStartWindow } from './start-window.ts'

/** Maximum number of ranges in one query. */
const rangesMax = 32

const keys = { expected: sql`flow_run.expected_start_time`, started: effectiveStart }

/** The access paths of the filters, usually the most selective first. Some depend on how the runs are sorted. */
export async function listAccessPaths(db: Db, filters: RelatedFilters, sort?: FlowRunSort): Promise<AccessPath[]> {
  const filter = filters.flow_runs?.operator === 'or_' ? null : filters.flow_runs
  const time = filter?.expected_start_time
  const without = (...names: (keyof FlowRunFilter)[]): RelatedFilters['flow_runs'] =>
    filter ? { ...filter, expected_start_time: null, ...Object.fromEntries(names.map((name) => [name, null])) } : filters.flow_runs
  const runRanges = (values: readonly Condition[], rest: RelatedFilters, indexes: Record<IndexOrder, string>) => (order: IndexOrder) =>
    values.map(
      (value): IndexRange => ({
        from: sql`flow_run ${db.dialect.indexHint(indexes[order])}`,
        id: sql`flow_run.id`,
        isOfRuns: true,
        key: keys[order],
        where: all([value, ...(time ? [flowRunWhere(db.dialect, { operator: 'and_', expected_start_time: time })] : [])]),
        remaining: isEmptyFilter(rest) ? [] : [flowRunsWhere(db.dialect, rest)],
      }),
    )
  const equal = (column: string, values: readonly string[]) => [...new Set(values)].map((value): Condition => sql`${sql.ref(column)} = ${value}`)
  const paths: AccessPath[] = []

  const deployments = filter?.deployment_id
  if (deployments?.any_ && deployments.is_null_ == null && deployments.any_.length <= rangesMax) {
    const values = equal('flow_run.deployment_id', deployments.any_)
    const indexes = { expected: 'flow_run_by_deployment_expected', started: 'flow_run_by_deployment' }
    paths.push({ name: 'deployment', ranges: runRanges(values, { ...filters, flow_runs: without('deployment_id') }, indexes), hasOrder: () => true })
  }
  const matchingDeployments = filters.deployments && !deployments?.any_ ? await readMatchingDeployments(db, filters.deployments) : undefined
  if (matchingDeployments) {
    const values = equal('flow_run.deployment_id', matchingDeployments)
    const indexes = { expected: 'flow_run_by_deployment_expected', started: 'flow_run_by_deployment' }
    paths.push({
      name: 'deployment',
      ranges: runRanges(values, { ...filters, deployments: null, flow_runs: without() }, indexes),
      hasOrder: () => true,
    })
  }
  const flows = filters.flows && (await readMatchingFlows(db, filters.flows))
  if (flows) {
    const indexes = { expected: 'flow_run_by_flow_expected', started: 'flow_run_by_flow' }
    paths.push({
      name: 'flow',
      ranges: runRanges(equal('flow_run.flow_id', flows), { ...filters, flows: null, flow_runs: without() }, indexes),
      hasOrder: () => true,
    })
  }
  const tags = filter?.tags
  if (tags?.all_?.length && tags.operator !== 'or_') {
    const [rarest, ...others] = await sortTagsByRarity(db, tags.all_)
    const otherFilters = { ...filters, flow_runs: { ...filter, expected_start_time: null, tags: { ...tags, all_: null } } }
    const rest = isEmptyFilter(otherFilters) ? undefined : flowRunsWhere(db.dialect, otherFilters)
    paths.push({ name: 'tag', ranges: (order) => [tagRange(db.dialect, rarest as string, others, rest, time, order)], hasOrder: () => true })
  }
  const anyTags = tags?.operator === 'or_' || tags?.all_?.length ? undefined : tags?.any_ && [...new Set(tags.any_)]
  if (anyTags && anyTags.length <= rangesMax) {
    const otherFilters = { ...filters, flow_runs: { ...filter, expected_start_time: null, tags: { ...tags, any_: null } } }
    const rest = isEmptyFilter(otherFilters) ? undefined : flowRunsWhere(db.dialect, otherFilters)
    const ranges = (order: IndexOrder) => anyTags.map((tag, index) => anyTagRange(db.dialect, tag, anyTags.slice(0, index), rest, time, order))
    paths.push({ name: 'tag', ranges, hasOrder: () => true })
  }
  const states = filter?.state && hasStateCriteria(filter.state) ? await readMatchingStates(db, filter.state) : undefined
  if (states) {
    const rest = { ...filters, flow_runs: without('state') }
    const byName = runRanges(
      states.map(({ type, name }) => sql<boolean>`flow_run.state_type = ${type} and flow_run.state_name = ${name}`),
      rest,
      { expected: 'flow_run_history', started: 'flow_run_history' },
    )
    const types = typesOnly(filter?.state)
    const byType = types && runRanges(equal('flow_run.state_type', types), rest, { expected: 'flow_run_by_state', started: 'flow_run_by_state' })
    paths.push({
      name: 'state',
      ranges: (order) => (order === 'started' && byType ? byType(order) : byName(order)),
      hasOrder: (order) => order === 'expected' || byType !== undefined,
    })
  }
  const queues = await readMatchingQueues(db, filters)
  if (queues) {
    const rest = { ...filters, flow_runs: without(), work_pools: null, work_pool_queues: null, work_queues: null }
    const indexes = { expected: 'flow_run_of_queue', started: 'flow_run_of_queue' }
    paths.push({
      name: 'queue',
      ranges: runRanges(equal('flow_run.work_queue_id', queues), rest, indexes),
      hasOrder: (order) => order === 'expected',
    })
  }
  if (time) {
    const rest = { ...filters, flow_runs: without() }
    const indexes = { expected: 'flow_run_by_expected_start', started: 'flow_run_by_expected_start' }
    const byExpected = runRanges([sql`1 = 1`], rest, indexes)
    const remaining = isEmptyFilter(rest) ? [] : [flowRunsWhere(db.dialect, rest)]
    const byStart = sort === 'START_TIME_DESC' && paths.length === 0 ? await readStartWindow(db, time, remaining) : undefined
    // Otherwise only with a lower bound: a range with an upper bound alone holds all past runs.
    if (byStart || time.after_ != null)
      paths.push({
        name: 'time',
        ranges: (order) => (order === 'started' && byStart ? byStart : byExpected(order)),
        hasOrder: (order) => order === 'expected' || byStart !== undefined,
      })
  }
  const start = filter?.start_time
  if (start?.after_ != null && start.is_null_ == null) {
    const indexes = { expected: 'flow_run_by_start', started: 'flow_run_by_start' }
    const value = flowRunWhere(db.dialect, { operator: 'and_', start_time: start })
    paths.push({
      name: 'start',
      ranges: runRanges([value], { ...filters, flow_runs: without('start_time') }, indexes),
      hasOrder: (order) => order === 'started',
    })
  }
  return paths
}

export function isEmptyFilter({ flow_runs, ...others }: RelatedFilters): boolean {
  const related = [others.flows, others.task_runs, others.deployments, others.work_pools, others.work_pool_queues, others.work_queues]
  if (related.some((filter) => filter != null)) return false
  const { operator: _, tags, ...criteria } = flow_runs ?? {}
  return (tags == null || (tags.any_ == null && tags.all_ == null && tags.is_null_ == null)) && Object.values(criteria).every((each) => each == null)
}

/** The state types of the filter, if it has no other state criteria. */
function typesOnly(state: FlowRunFilter['state']): string[] | undefined {
  const { type, name } = state ?? {}
  return type?.any_ && !type.not_any_?.length && name == null ? type.any_ : undefined
}

const hasStateCriteria = ({ type, name }: NonNullable<FlowRunFilter['state']>): boolean =>
  [type, name].some((criteria) => criteria?.any_ != null || (criteria?.not_any_?.length ?? 0) > 0)

/** The ids of the matching flows. Undefined if there are more than one query can have ranges. */
async function readMatchingFlows(db: Db, filter: NonNullable<RelatedFilters['flows']>): Promise<string[] | undefined> {
  const { rows } = await sql<{ id: string }>`select flow.id from flow where ${flowWhere(db.dialect, filter)} limit ${rangesMax + 1}`.execute(
    db.kysely,
  )
  return rows.length > rangesMax ? undefined : rows.map(({ id }) => id)
}

/** The same for deployments. */
async function readMatchingDeployments(db: Db, filter: NonNullable<RelatedFilters['deployments']>): Promise<string[] | undefined> {
  const query = sql<{ id: string }>`select deployment.id from deployment where ${deploymentWhere(db.dialect, filter)} limit ${rangesMax + 1}`
  const { rows } = await query.execute(db.kysely)
  return rows.length > rangesMax ? undefined : rows.map(({ id }) => id)
}

/** The same for work queues. Undefined also without a filter on queues or pools. */
async function readMatchingQueues(db: Db, filters: RelatedFilters): Promise<string[] | undefined> {
  const where = queuesWhere(db.dialect, filters)
  if (!where) return undefined
  const { rows } = await sql<{ id: string }>`select work_queue.id from work_queue where ${where} limit ${rangesMax + 1}`.execute(db.kysely)
  return rows.length > rangesMax ? undefined : rows.map(({ id }) => id)
}

/** The states of existing runs that match the filter. Each one is a range of the history index, sorted by expected start. */
async function readMatchingStates(db: Db, filter: NonNullable<FlowRunFilter['state']>): Promise<DistinctState[] | undefined> {
  const states = await readDistinctStates(db, 'flow_run')
  return states.length > distinctStatesMax ? undefined : states.filter((state) => matchesStateFilter(filter, state))
}

/** Beyond this number of tags the rarest one hardly matters. */
const comparedTagsMax = 32

/** Sorts tags by their number of runs, counted up to 500. */
async function sortTagsByRarity(db: Db, tags: readonly string[]): Promise<string[]> {
  const unique = [...new Set(tags)]
  if (unique.length === 1) return unique
  const counts = unique
    .slice(0, comparedTagsMax)
    .map((tag) => sql`select ${tag} as tag, (select count(*) from (select 1 from flow_run_tag where tag = ${tag} limit 500) few) as runs`)
  const { rows } = await sql<{ tag: string; runs: number }>`${sql.join(counts, sql` union all `)} order by runs`.execute(db.kysely)
  return [...rows.map(({ tag }) => tag), ...unique.slice(comparedTagsMax)]
}

const tagIndexes = { expected: 'flow_run_tag_by_expected', started: 'flow_run_tag_by_start' }

/** The runs of one tag. The other tags are checked in the tag table, before the run itself is read. */
function tagRange(
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
    isOfRuns: false,
    key: sql.ref(`flow_run_tag.${order}`),
    where: all([sql`flow_run_tag.tag = ${tag}`, ...compare(dialect, col('flow_run_tag.expected'), time)]),
    remaining: [
      ...hasAllTags(dialect, sql`flow_run_tag.flow_run_id`, others),
      ...(rest ? [exists(sql`flow_run`, [sql`flow_run.id = flow_run_tag.flow_run_id`, rest])] : []),
    ],
  }
}

/** The runs of one tag that have none of the earlier tags, so that no run is in two ranges. */
function anyTagRange(
  dialect: Dialect,
  tag: string,
  earlier: readonly string[],
  rest: Condition | undefined,
  time: FlowRunFilter['expected_start_time'],
  order: IndexOrder,
): IndexRange {
  const range = tagRange(dialect, tag, [], rest, time, order)
  if (earlier.length === 0) return range
  const hasEarlier = exists(sql`flow_run_tag has`, [sql`has.flow_run_id = flow_run_tag.flow_run_id`, dialect.isIn(col('has.tag'), earlier, 'text')])
  return { ...range, remaining: [sql<boolean>`not ${hasEarlier}`, ...range.remaining] }
}
