import type { FlowRunFilter } from '@millrace/contracts/flow-run-filter.ts'
import { toMicros } from '../../src/lib/time.ts'

/** What the model knows of a run: the answer of the API itself. */
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

/** Three-valued, as SQL is: null is "unknown", and an unknown run is not listed. */
type Truth = boolean | null

const and = (values: Truth[]): Truth => (values.includes(false) ? false : values.includes(null) ? null : true)
const or = (values: Truth[]): Truth => (values.includes(true) ? true : values.includes(null) ? null : false)
const join = (operator: string | undefined, values: Truth[]): Truth[] => (values.length === 0 ? [] : [operator === 'or_' ? or(values) : and(values)])

/** A criterion that is given and asks nothing holds for every run. */
const given = (criteria: unknown, values: Truth[]): Truth[] => (criteria && values.length === 0 ? [true] : values)

/** The plainest reading of the specification: each criterion on its own, joined by the operator. */
export function matches(run: ModelRun, filter: FlowRunFilter): boolean {
  const asked: Truth[] = [
    ...scalar(run.id, filter.id),
    ...scalar(run.name, filter.name),
    ...list(run.tags, filter.tags),
    ...scalar(run.deployment_id, filter.deployment_id),
    ...scalar(run.work_queue_name, filter.work_queue_name),
    ...given(filter.state, join(filter.state?.operator, [...word(run.state_type, filter.state?.type), ...word(run.state_name, filter.state?.name)])),
    ...scalar(run.flow_version, filter.flow_version),
    ...join('and_', [
      ...time(
        run.start_time ?? run.expected_start_time,
        filter.start_time && { before_: filter.start_time.before_, after_: filter.start_time.after_ },
      ),
      ...(filter.start_time?.is_null_ == null ? [] : [(run.start_time === null) === filter.start_time.is_null_]),
    ]),
    ...time(run.end_time, filter.end_time),
    ...time(run.expected_start_time, filter.expected_start_time),
    ...time(run.next_scheduled_start_time, filter.next_scheduled_start_time),
    ...scalar(run.idempotency_key, filter.idempotency_key),
  ]
  return asked.length === 0 || (filter.operator === 'or_' ? or(asked) : and(asked)) === true
}

function scalar(value: string | null, criteria: Criteria | null | undefined): Truth[] {
  if (!criteria) return []
  const known = (test: (text: string) => boolean): Truth => (value === null ? null : test(value))
  const asked: Truth[] = []
  const { any_, not_any_, like_, is_null_ } = criteria
  if (any_) asked.push(any_.length === 0 ? false : known((text) => any_.includes(text)))
  if (not_any_?.length) asked.push(known((text) => !not_any_.includes(text)))
  if (like_) asked.push(known((text) => text.toLowerCase().includes(like_.toLowerCase())))
  if (is_null_ != null) asked.push((value === null) === is_null_)
  return given(criteria, join(criteria.operator, asked))
}

/** Of a state, unlike elsewhere, a field that asks nothing is as if it were not given. */
const word = (value: string, criteria: Criteria | null | undefined): Truth[] =>
  criteria?.any_ || criteria?.not_any_?.length ? scalar(value, criteria) : []

function list(values: string[], criteria: Criteria | null | undefined): Truth[] {
  if (!criteria) return []
  const asked: Truth[] = []
  if (criteria.all_?.length) asked.push(criteria.all_.every((tag) => values.includes(tag)))
  if (criteria.any_) asked.push(criteria.any_.some((tag) => values.includes(tag)))
  if (criteria.is_null_ != null) asked.push((values.length === 0) === criteria.is_null_)
  return given(criteria, join(criteria.operator, asked))
}

function time(value: string | null, criteria: Criteria | null | undefined): Truth[] {
  if (!criteria) return []
  const asked: Truth[] = []
  const { before_, after_, is_null_ } = criteria
  if (before_ != null) asked.push(value === null ? null : toMicros(value) <= toMicros(before_))
  if (after_ != null) asked.push(value === null ? null : toMicros(value) >= toMicros(after_))
  if (is_null_ != null) asked.push((value === null) === is_null_)
  return given(criteria, join(criteria.operator, asked))
}
