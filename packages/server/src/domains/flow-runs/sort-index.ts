import type { FlowRunSort } from '@millrace/contracts/flow-run.ts'
import type { FlowRunFilter } from '@millrace/contracts/flow-run-filter.ts'
import { type RawBuilder, sql } from 'kysely'
import type { Dialect } from '../../storage/dialect.ts'
import type { RelatedFilters } from '../relations.ts'

/** The indexes that have an order, and the times and names that lists are mostly filtered by. */
const sortIndexes: Partial<Record<FlowRunSort, string>> = {
  START_TIME_ASC: 'flow_run_by_start',
  START_TIME_DESC: 'flow_run_by_start',
  EXPECTED_START_TIME_ASC: 'flow_run_by_expected_start',
  EXPECTED_START_TIME_DESC: 'flow_run_by_expected_start',
  NAME_ASC: 'flow_run_by_name',
  NAME_DESC: 'flow_run_by_name',
  END_TIME_DESC: 'flow_run_by_end',
}

/** What runs are asked for of which there are many, as a rule; anything else the database may know a shorter way to. */
const broadCriteria = new Set<keyof FlowRunFilter>(['operator', 'state', 'tags', 'start_time', 'expected_start_time'])

/**
 * The index of an order that all runs are walked in, where nothing but that order helps: SQLite sorts a million runs by name, in more than a
 * second, where each has to be due by now.
 */
export function sortIndexHint(dialect: Dialect, { flow_runs, ...related }: RelatedFilters, sort: FlowRunSort): RawBuilder<unknown> {
  const index = sortIndexes[sort]
  const isCommon = ([name, criteria]: [string, unknown]): boolean =>
    criteria == null ||
    broadCriteria.has(name as keyof FlowRunFilter) ||
    (name === 'name' && isPartialName(flow_runs?.name)) ||
    (name === 'parent_task_run_id' && isRootOnly(flow_runs))
  const asked = Object.entries(flow_runs ?? {})
  const isWalked = index && !related.task_runs && !related.deployments && flow_runs?.operator !== 'or_' && asked.every(isCommon)
  return isWalked ? dialect.indexHint(index) : sql``
}

/** A part of a name can be anywhere; whole names are found by their index. */
const isPartialName = (name: FlowRunFilter['name']): boolean => name?.any_ == null

const isRootOnly = (filter: RelatedFilters['flow_runs']): boolean => filter?.parent_task_run_id?.is_null_ === true
