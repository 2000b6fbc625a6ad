import { type FlowRunOrder, flowRunSorts } from '@millrace/client/vocabulary/run-sorts.ts'
import { stateCriteria, stateOf } from '@millrace/client/vocabulary/states.ts'
import type { FlowRunFilter } from '@millrace/contracts/flow-run-filter.ts'
import type { SavedSearchFilter } from '@millrace/contracts/saved-search.ts'
import type { StateType } from '@millrace/contracts/state.ts'
import type { FlowRunCriteria } from '../../api/flow-runs.ts'
import { ownEntry } from '../../own-entry.ts'
import { readString, readStrings } from '../../search-params.ts'
import { mergeParameterCriteria, parseParameterCriterion } from './parameter-criteria.ts'

/** URL parameters of the run list. */
export interface RunsSearch {
  /** Values of `stateChoices`, or other names of states. */
  readonly state?: string[]
  /** IDs. */
  readonly flow?: string[]
  readonly deployment?: string[]
  /** Names. */
  readonly pool?: string[]
  readonly queue?: string[]
  readonly tag?: string[]
  /** Criteria as in `parameter-criteria.ts`. */
  readonly parameter?: string[]
  /** Part of the run's name. */
  readonly name?: string
  /** A time, or a duration before now such as `24h` or `7d`. */
  readonly since?: string
  readonly until?: string
  readonly sort?: FlowRunOrder
  /** `hide` excludes sub-flow runs. */
  readonly subflows?: 'hide'
  /** Upcoming runs are hidden by default, because they would fill the first pages. */
  readonly upcoming?: 'show'
}

/** A longer name in a URL is not one that people filter by. */
const stateNameCharactersMax = 200

/** A run that starts immediately is due shortly after the list was requested. */
const dueSlackSeconds = 120

export const timeChoices = [
  { value: '1h', label: 'Last hour' },
  { value: '6h', label: 'Last 6 hours' },
  { value: '24h', label: 'Last 24 hours' },
  { value: '7d', label: 'Last 7 days' },
  { value: '30d', label: 'Last 30 days' },
] as const

export function readRunsSearch(params: Record<string, unknown>): RunsSearch {
  const sort = readString(params.sort)
  const search: RunsSearch = {
    state: readStrings(params.state)?.filter((choice) => choice.length <= stateNameCharactersMax),
    flow: readStrings(params.flow),
    deployment: readStrings(params.deployment),
    pool: readStrings(params.pool),
    queue: readStrings(params.queue),
    tag: readStrings(params.tag),
    parameter: readStrings(params.parameter)?.filter((choice) => parseParameterCriterion(choice) !== undefined),
    name: readString(params.name),
    since: readString(params.since),
    until: readString(params.until),
    sort: sort !== undefined && Object.hasOwn(flowRunSorts, sort) ? (sort as FlowRunOrder) : undefined,
    subflows: readString(params.subflows) === 'hide' ? 'hide' : undefined,
    upcoming: readString(params.upcoming) === 'show' ? 'show' : undefined,
  }
  return Object.fromEntries(Object.entries(search).filter(([, value]) => value !== undefined && (!Array.isArray(value) || value.length > 0)))
}

/** Converts to the API's filter. Durations such as `24h` count back from `present`, which the caller rounds so that equal searches share a query. */
export function runsFilter(search: RunsSearch, present: number): FlowRunCriteria {
  const { state, flow, deployment, pool, queue, tag, name, since, subflows } = search
  const parameters = mergeParameterCriteria(search.parameter ?? [])
  const until = search.until ?? (hidesUpcoming(search) ? new Date(present + dueSlackSeconds * 1000).toISOString() : undefined)
  const flowRuns: FlowRunFilter = {
    ...(state && { state: stateCriteria(state.map(stateOf)) }),
    ...(deployment && { deployment_id: { any_: deployment } }),
    ...(tag && { tags: { all_: tag } }),
    ...(parameters && { parameters: { matches_: parameters } }),
    ...(name && { name: { like_: name } }),
    ...((since || until) && {
      expected_start_time: { ...(since && { after_: resolveTime(since, present) }), ...(until && { before_: resolveTime(until, present) }) },
    }),
    ...(subflows && { parent_task_run_id: { is_null_: true } }),
  }
  return {
    ...(Object.keys(flowRuns).length > 0 && { flow_runs: flowRuns }),
    ...(flow && { flows: { id: { any_: flow } } }),
    ...(pool && { work_pools: { name: { any_: pool } } }),
    // Filters by the actual queue: a run that names none is in the default queue of its pool.
    ...(queue && { work_pool_queues: { name: { any_: queue } } }),
  }
}

/** Filtering by the state Scheduled or by time, and sorting by next start, show upcoming runs. */
export const hidesUpcoming = ({ upcoming, state, since, until, sort }: RunsSearch): boolean =>
  upcoming !== 'show' && !state?.includes('Scheduled') && since === undefined && until === undefined && sort !== 'soonest'

/** Selects the runs that `hidesUpcoming` hides, to count them separately. */
export const upcomingFilter = (search: RunsSearch, present: number): FlowRunCriteria =>
  runsFilter({ ...search, since: new Date(present + dueSlackSeconds * 1000).toISOString() }, present)

const unitSeconds: Record<string, number> = { m: 60, h: 3600, d: 86_400 }

function resolveTime(text: string, present: number): string {
  const [, amount, unit = ''] = /^(\d+)([mhd])$/.exec(text) ?? []
  return amount === undefined ? text : new Date(present - Number(amount) * (ownEntry(unitSeconds, unit) ?? 0) * 1000).toISOString()
}

/** Saves each key and value of the URL as one criterion of a saved search. */
export const searchAsFilters = (search: RunsSearch): SavedSearchFilter[] =>
  Object.entries(search).flatMap(([property, value]) =>
    (Array.isArray(value) ? value : [value]).map((each: string) => ({
      object: 'flow_run',
      property,
      type: 'string',
      operation: 'equals',
      value: each,
    })),
  )

export function filtersAsSearch(filters: readonly SavedSearchFilter[]): RunsSearch {
  const params: Record<string, string[]> = {}
  for (const { object, property, value } of filters) {
    if (object !== 'flow_run' || typeof value !== 'string') continue
    params[property] = [...(params[property] ?? []), value]
  }
  return readRunsSearch(params)
}

/** The state type of a filter choice. Scheduled, without a colour of its own, for a name of which nothing else is known. */
export const stateTypeOfChoice = (choice: string): StateType => stateOf(choice).type ?? 'SCHEDULED'
