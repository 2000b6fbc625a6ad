import type { FlowRunFilter } from '@millrace/contracts/flow-run-filter.ts'
import { toMicros } from '../../src/lib/time.ts'

/** A run of the model: the response of the API. */
export interface ModelRun {
  id: string
  name: string
  tags: string[]
  deployment_id: string | null
  work_queue_name: string | null
  state_type: string
  state_name: string
  flow_version: string | null
  start_time: string | null
  end_time: string | null
  expected_start_time: string | null
  next_scheduled_start_time: string | null
  parent_task_run_id: string | null
  idempotency_key: string | null
}

interface Criteria {
  operator?: string
  any_?: string[] | null
  not_any_?: string[] | null
  all_?: string[] | null
  like_?: string | null
  is_null_?: boolean | null
  before_?: string | null
  after_?: string | null
}

/** Three-valued like SQL: null means unknown, and unknown runs are not listed. */
type SqlBoolean = boolean | null

const and = (values: SqlBoolean[]): SqlBoolean => (values.includes(false) ? false : values.includes(null) ? null : true)
const or = (values: SqlBoolean[]): SqlBoolean => (values.includes(true) ? true : values.includes(null) ? null : false)
const combine = (operator: string | undefined, values: SqlBoolean[]): SqlBoolean[] =>
  values.length === 0 ? [] : [operator === 'or_' ? or(values) : and(values)]

/** An empty criterion matches every run. */
const trueIfEmpty = (criteria: unknown, values: SqlBoolean[]): SqlBoolean[] => (criteria && values.length === 0 ? [true] : values)

/** Implements the specification literally: each criterion by itself, joined by the operator. */
export function matchesFilter(run: ModelRun, filter: FlowRunFilter): boolean {
  const asked: SqlBoolean[] = [
    ...matchScalar(run.id, filter.id),
    ...matchScalar(run.name, filter.name),
    ...matchList(run.tags, filter.tags),
    ...matchScalar(run.deployment_id, filter.deployment_id),
    ...matchScalar(run.work_queue_name, filter.work_queue_name),
    ...trueIfEmpty(
      filter.state,
      combine(filter.state?.operator, [
        ...matchStateField(run.state_type, filter.state?.type),
        ...matchStateField(run.state_name, filter.state?.name),
      ]),
    ),
    ...matchScalar(run.flow_version, filter.flow_version),
    ...combine('and_', [
      ...matchTime(
        run.start_time ?? run.expected_start_time,
        filter.start_time && { before_: filter.start_time.before_, after_: filter.start_time.after_ },
      ),
      ...(filter.start_time?.is_null_ == null ? [] : [(run.start_time === null) === filter.start_time.is_null_]),
    ]),
    ...matchTime(run.end_time, filter.end_time),
    ...matchTime(run.expected_start_time, filter.expected_start_time),
    ...matchTime(run.next_scheduled_start_time, filter.next_scheduled_start_time),
    ...matchScalar(run.idempotency_key, filter.idempotency_key),
  ]
  return asked.length === 0 || (filter.operator === 'or_' ? or(asked) : and(asked)) === true
}

function matchScalar(value: string | null, criteria: Criteria | null | undefined): SqlBoolean[] {
  if (!criteria) return []
  const known = (test: (text: string) => boolean): SqlBoolean => (value === null ? null : test(value))
  const asked: SqlBoolean[] = []
  const { any_, not_any_, like_, is_null_ } = criteria
  if (any_) asked.push(any_.length === 0 ? false : known((text) => any_.includes(text)))
  if (not_any_?.length) asked.push(value === null || !not_any_.includes(value))
  if (like_) asked.push(known((text) => text.toLowerCase().includes(like_.toLowerCase())))
  if (is_null_ != null) asked.push((value === null) === is_null_)
  return trueIfEmpty(criteria, combine(criteria.operator, asked))
}

/** Unlike elsewhere, an empty field of a state criterion counts as absent. */
const matchStateField = (value: string, criteria: Criteria | null | undefined): SqlBoolean[] =>
  criteria?.any_ || criteria?.not_any_?.length ? matchScalar(value, criteria) : []

function matchList(values: string[], criteria: Criteria | null | undefined): SqlBoolean[] {
  if (!criteria) return []
  const asked: SqlBoolean[] = []
  if (criteria.all_?.length) asked.push(criteria.all_.every((tag) => values.includes(tag)))
  if (criteria.any_) asked.push(criteria.any_.some((tag) => values.includes(tag)))
  if (criteria.is_null_ != null) asked.push((values.length === 0) === criteria.is_null_)
  return trueIfEmpty(criteria, combine(criteria.operator, asked))
}

function matchTime(value: string | null, criteria: Criteria | null | undefined): SqlBoolean[] {
  if (!criteria) return []
  const asked: SqlBoolean[] = []
  const { before_, after_, is_null_ } = criteria
  if (before_ != null) asked.push(value === null ? null : toMicros(value) <= toMicros(before_))
  if (after_ != null) asked.push(value === null ? null : toMicros(value) >= toMicros(after_))
  if (is_null_ != null) asked.push((value === null) === is_null_)
  return trueIfEmpty(criteria, combine(criteria.operator, asked))
}
