import type { FlowRunOrchestrationResult, FlowRunsCountBody, FlowRunsFilterBody } from '@millrace/contracts/flow-run.ts'
import type { FlowRunsHistoryBody } from '@millrace/contracts/history.ts'
import type { LatestRunsBody } from '@millrace/contracts/latest-runs.ts'
import type { StateCreate } from '@millrace/contracts/state.ts'
import type { UIFlowRunsHistoryBody } from '@millrace/contracts/ui.ts'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { client } from './client.ts'

export type FlowRunsFilter = FlowRunsFilterBody
export type FlowRunCriteria = FlowRunsCountBody

const noun = 'flow-runs'

export const flowRunQuery = (id: string) =>
  queryOptions({ queryKey: [noun, 'one', id], queryFn: ({ signal }) => client.flowRuns.read(id, { signal }) })

export const flowRunsQuery = (body: FlowRunsFilter) =>
  queryOptions({ queryKey: [noun, 'list', body], queryFn: ({ signal }) => client.flowRuns.list(body, { signal }) })

const countQuery = (body: FlowRunCriteria) =>
  queryOptions({
    queryKey: [noun, 'count', body],
    queryFn: ({ signal }) => client.flowRuns.count(body, { signal }),
    placeholderData: keepPreviousData,
  })

/** Exact count. Use it for small or rare queries. */
export const flowRunCountQuery = (filter: FlowRunCriteria) => countQuery(filter)

/** Largest list that can be paged: the server skips all rows before an offset. */
export const listedRunsMax = 10_000

/** Count for a list, capped at `listedRunsMax` + 1: counting millions takes longer than showing the first page. */
export const cappedRunCountQuery = (filter: FlowRunCriteria) => countQuery({ ...filter, count_up_to: listedRunsMax + 1 })

export const flowRunHistoryQuery = (body: FlowRunsHistoryBody) =>
  queryOptions({
    queryKey: [noun, 'history', body],
    queryFn: ({ signal }) => client.flowRuns.history(body, { signal }),
    placeholderData: keepPreviousData,
  })

/** Start, end and state of runs, without parameters. */
export const flowRunPointsQuery = (body: UIFlowRunsHistoryBody) =>
  queryOptions({
    queryKey: [noun, 'points', body],
    queryFn: ({ signal }) => client.flowRuns.chartPoints(body, { signal }),
    placeholderData: keepPreviousData,
  })

const idPageSize = 1000

/** Ids of up to `max` matching runs, unordered. */
export async function listMatchingRunIds(filter: FlowRunCriteria, max: number): Promise<string[]> {
  const ids: string[] = []
  while (ids.length < max) {
    const limit = Math.min(idPageSize, max - ids.length)
    const page = await client.flowRuns.chartPoints({ ...filter, sort: 'EXPECTED_START_TIME_DESC', limit, offset: ids.length })
    ids.push(...page.map(({ id }) => id))
    if (page.length < limit) break
  }
  return ids
}

export const resumeFlowRun = (id: string, runInput?: Record<string, unknown>) => client.flowRuns.resume(id, runInput ? { run_input: runInput } : {})

/** Batch limit of the server. */
const bulkSizeMax = 50

const inBatches = async <T>(ids: readonly string[], each: (batch: string[]) => Promise<T[]>): Promise<T[]> => {
  const done: T[] = []
  for (let at = 0; at < ids.length; at += bulkSizeMax) done.push(...(await each(ids.slice(at, at + bulkSizeMax))))
  return done
}

const idFilter = (ids: string[]) => ({ id: { any_: ids } })

export const setFlowRunStates = (ids: readonly string[], state: StateCreate, force = false): Promise<FlowRunOrchestrationResult[]> =>
  inBatches(ids, async (batch) => {
    const body = { flow_runs: idFilter(batch), state, force, limit: bulkSizeMax }
    return (await client.flowRuns.setStateOfMatching(body)).results
  })

export const deleteFlowRuns = (ids: readonly string[]): Promise<string[]> =>
  inBatches(ids, async (batch) => {
    const body = { flow_runs: idFilter(batch), limit: bulkSizeMax }
    return (await client.flowRuns.deleteMatching(body)).deleted
  })

/** Value of a run input: text, usually JSON. A paused run stores the schema of its expected input this way. */
export const flowRunInputQuery = (id: string, key: string) =>
  queryOptions({
    queryKey: ['flow-runs', 'input', id, key],
    queryFn: ({ signal }) => client.flowRuns.readInput(id, key, { signal }),
  })

/** Latest runs and the next run of every row of a list, in one call. */
export const latestRunsQuery = (body: LatestRunsBody) =>
  queryOptions({
    queryKey: ['flow-runs', 'latest', body],
    queryFn: ({ signal }) => client.flowRuns.latest(body, { signal }),
    placeholderData: keepPreviousData,
  })
