import type { FlowRunSort } from '@millrace/contracts/flow-run.ts'
import type { FlowRunFilter } from '@millrace/contracts/flow-run-filter.ts'
import { type RawBuilder, sql } from 'kysely'
import { invalid } from '../../errors.ts'
import { ExactNumber } from '../../lib/json-exact.ts'
import { isStorable } from '../../lib/storable-text.ts'
import { all, type Condition, combine, compare, compareTags, countValues, exists, isNull, jsonMatches } from '../../storage/criteria.ts'
import { col, type Dialect } from '../../storage/dialect.ts'
import { whereEmptyCriteria } from '../empty-criteria.ts'

/** The start of a run, or its expected start before it starts. The text must equal that of the index. */
export const effectiveStart = sql`coalesce(flow_run.start_time, flow_run.expected_start_time)`

export function flowRunWhere(dialect: Dialect, filter: FlowRunFilter): Condition {
  const { state, start_time: start } = filter
  return combine(filter.operator, [
    ...whereEmptyCriteria(filter),
    ...compare(dialect, col('flow_run.id'), filter.id, 'uuid'),
    ...compare(dialect, col('flow_run.name'), filter.name),
    ...tagConditions(dialect, filter.tags),
    ...compare(dialect, col('flow_run.deployment_id'), filter.deployment_id, 'uuid'),
    ...compare(dialect, col('flow_run.work_queue_name'), filter.work_queue_name),
    ...combineIfAny(state?.operator, [
      ...compare(dialect, col('flow_run.state_type'), state?.type),
      ...compare(dialect, col('flow_run.state_name'), state?.name),
    ]),
    ...compare(dialect, col('flow_run.flow_version'), filter.flow_version),
    ...combineIfAny('and_', [
      ...compare(dialect, effectiveStart, start && { before_: start.before_ ?? null, after_: start.after_ ?? null }),
      ...(start?.is_null_ == null ? [] : [isNull(col('flow_run.start_time'), start.is_null_)]),
    ]),
    ...compare(dialect, col('flow_run.end_time'), filter.end_time),
    ...compare(dialect, col('flow_run.expected_start_time'), filter.expected_start_time),
    ...compare(dialect, col('flow_run.next_scheduled_start_time'), filter.next_scheduled_start_time),
    ...parentConditions(dialect, filter.parent_flow_run_id?.any_),
    ...compare(dialect, col('flow_run.parent_task_run_id'), filter.parent_task_run_id, 'uuid'),
    ...keyConditions(dialect, filter.idempotency_key),
    ...creatorConditions(dialect, filter.created_by),
    ...parameterConditions(dialect, filter.parameters?.matches_),
  ])
}

/** Excluding keys keeps the runs without one: in SQL nothing is known about them. */
function keyConditions(dialect: Dialect, criteria: FlowRunFilter['idempotency_key']): Condition[] {
  const column = col('flow_run.idempotency_key')
  const excluded = compare(dialect, column, { not_any_: criteria?.not_any_ ?? null })
  return combineIfAny('and_', [
    ...compare(dialect, column, { any_: criteria?.any_ ?? null }),
    ...excluded.map((condition) => sql<boolean>`(flow_run.idempotency_key is null or ${condition})`),
  ])
}

const combineIfAny = (operator: 'and_' | 'or_' | undefined, conditions: Condition[]): Condition[] =>
  conditions.length === 0 ? [] : [combine(operator, conditions)]

/** Uses the tag table instead of the JSON column: an index lookup instead of parsing JSON. */
function tagConditions(dialect: Dialect, criteria: FlowRunFilter['tags']): Condition[] {
  if (!criteria) return []
  const has = (condition: Condition): Condition => exists(sql`flow_run_tag has`, [sql`has.flow_run_id = flow_run.id`, condition])
  return combineIfAny(criteria.operator, [
    ...(criteria.all_?.length ? [all(hasAllTags(dialect, sql`flow_run.id`, criteria.all_))] : []),
    ...(criteria.any_ ? [has(dialect.isIn(col('has.tag'), criteria.any_, 'text'))] : []),
    ...compareTags(dialect, col('flow_run.tags'), { is_null_: criteria.is_null_ ?? null }),
  ])
}

/** Up to this number each tag is its own index lookup; more tags are bound as one value and counted. */
const tagLookupsMax = 8

/** Conditions that the run with this id has all of the tags. */
export function hasAllTags(dialect: Dialect, id: RawBuilder<unknown>, tags: readonly string[]): Condition[] {
  const unique = [...new Set(tags)]
  if (unique.length <= tagLookupsMax) return unique.map((tag) => exists(sql`flow_run_tag has`, [sql`has.flow_run_id = ${id}`, sql`has.tag = ${tag}`]))
  const count = sql`select count(*) from flow_run_tag has where has.flow_run_id = ${id} and ${dialect.isIn(col('has.tag'), unique, 'text')}`
  return [sql<boolean>`(${count}) = ${unique.length}`]
}

function parentConditions(dialect: Dialect, parents: readonly string[] | null | undefined): Condition[] {
  if (!parents) return []
  return [
    exists(sql`task_run parent_task`, [
      sql<boolean>`parent_task.id = flow_run.parent_task_run_id`,
      dialect.isIn(col('parent_task.flow_run_id'), parents, 'uuid'),
    ]),
  ]
}

function creatorConditions(dialect: Dialect, criteria: FlowRunFilter['created_by']): Condition[] {
  if (!criteria) return []
  const field = (key: string) => sql.raw(dialect.jsonText('flow_run.created_by', key))
  return combineIfAny(criteria.operator, [
    ...compare(dialect, field('id'), { any_: criteria.id_ ?? null }),
    ...compare(dialect, field('type'), { any_: criteria.type_ ?? null }),
    ...compare(dialect, col('flow_run.created_by'), { is_null_: criteria.is_null_ ?? null }),
  ])
}

/** More than any form has. Each value is a search in the JSON text of each run. */
const parametersMax = 50

function parameterConditions(dialect: Dialect, values: Record<string, unknown> | null | undefined): Condition[] {
  if (!values) return []
  if (countValues(values) > parametersMax) {
    throw invalid(['body', 'flow_runs', 'parameters', 'matches_'], `Too many parameter values: at most ${parametersMax} are allowed.`)
  }
  const faulty = findUnsearchable(values)
  if (faulty !== undefined) {
    throw invalid(
      ['body', 'flow_runs', 'parameters', 'matches_'],
      'Names should be text without NUL characters, names and values without lone surrogates',
      faulty,
    )
  }
  return [jsonMatches(dialect, col('flow_run.parameters'), values)]
}

/** A name or a text that PostgreSQL cannot compare with stored JSON. */
function findUnsearchable(value: unknown): string | undefined {
  if (typeof value === 'string') return value.isWellFormed() ? undefined : value
  if (typeof value !== 'object' || value === null || value instanceof ExactNumber) return undefined
  for (const [name, each] of Object.entries(value)) {
    const found = isStorable(name) ? findUnsearchable(each) : name
    if (found !== undefined) return found
  }
  return undefined
}

/** Runs without a value come last in both directions on both databases. Every run has an expected start. */
export const flowRunOrder: Readonly<Record<FlowRunSort, RawBuilder<unknown>>> = {
  ID_DESC: sql`flow_run.id desc`,
  START_TIME_ASC: sql`${effectiveStart} asc, flow_run.id asc`,
  START_TIME_DESC: sql`${effectiveStart} desc, flow_run.id desc`,
  EXPECTED_START_TIME_ASC: sql`flow_run.expected_start_time asc, flow_run.id asc`,
  EXPECTED_START_TIME_DESC: sql`flow_run.expected_start_time desc, flow_run.id desc`,
  NAME_ASC: sql`flow_run.name asc, flow_run.id asc`,
  NAME_DESC: sql`flow_run.name desc, flow_run.id desc`,
  NEXT_SCHEDULED_START_TIME_ASC: sql`flow_run.next_scheduled_start_time asc nulls last, flow_run.id asc`,
  END_TIME_DESC: sql`flow_run.end_time desc nulls last, flow_run.id desc`,
}
