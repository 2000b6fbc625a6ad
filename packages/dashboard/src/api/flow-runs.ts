import type {
  FlowRunBulkDeleteResponse,
  FlowRunBulkSetStateResponse,
  FlowRunOrchestrationResult,
  FlowRunResponse,
  FlowRunsCountBody,
  FlowRunsFilterBody,
} from '@millrace/contracts/flow-run.ts'
import type { FlowRunsHistoryBody, HistoryResponse } from '@millrace/contracts/history.ts'
import type { OrchestrationResult, StateCreate } from '@millrace/contracts/state.ts'
import type { SimpleFlowRun, UIFlowRunsHistoryBody } from '@millrace/contracts/ui.ts'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { call } from './client.ts'
import type { Sent } from './sent.ts'

export type FlowRunsFilter = Sent<typeof FlowRunsFilterBody>
export type FlowRunsCount = Sent<typeof FlowRunsCountBody>

const noun = 'flow-runs'

export const flowRunQuery = (id: string) =>
  queryOptions({ queryKey: [noun, 'one', id], queryFn: ({ signal }) => call<FlowRunResponse>('GET', `/flow_runs/${id}`, { signal }) })

export const flowRunsQuery = (body: FlowRunsFilter) =>
  queryOptions({ queryKey: [noun, 'list', body], queryFn: ({ signal }) => call<FlowRunResponse[]>('POST', '/flow_runs/filter', { body, signal }) })

const countOf = (body: FlowRunsCount) =>
  queryOptions({
    queryKey: [noun, 'count', body],
    queryFn: ({ signal }) => call<number>('POST', '/flow_runs/count', { body, signal }),
    placeholderData: keepPreviousData,
  })

/** How many runs match: few, or what is asked seldom. */
export const flowRunCountQuery = (filter: FlowRunsCount) => countOf(filter)

/** Beyond this a list is not read but searched: to come to a row the server has to pass by all before it. */
export const listedMax = 10_000

/** How many runs a list has; one more than `listedMax` stands for any number, for to count millions takes longer than to show the first of them. */
export const listedRunCountQuery = (filter: FlowRunsCount) => countOf({ ...filter, count_up_to: listedMax + 1 })

export const flowRunHistoryQuery = (body: FlowRunsHistoryBody) =>
  queryOptions({
    queryKey: [noun, 'history', body],
    queryFn: ({ signal }) => call<HistoryResponse[]>('POST', '/flow_runs/history', { body, signal }),
    placeholderData: keepPreviousData,
  })

/** Runs as points in time, without their parameters. */
export const flowRunPointsQuery = (body: Sent<typeof UIFlowRunsHistoryBody>) =>
  queryOptions({
    queryKey: [noun, 'points', body],
    queryFn: ({ signal }) => call<SimpleFlowRun[]>('POST', '/ui/flow_runs/history', { body, signal }),
    placeholderData: keepPreviousData,
  })

const idsPage = 1000

/** The ids of the first `most` runs that match, in no order that matters: without all that the runs carry. */
export async function matchingRunIds(filter: FlowRunsCount, most: number): Promise<string[]> {
  const ids: string[] = []
  while (ids.length < most) {
    const limit = Math.min(idsPage, most - ids.length)
    const body = { ...filter, sort: 'EXPECTED_START_TIME_DESC', limit, offset: ids.length }
    const page = await call<SimpleFlowRun[]>('POST', '/ui/flow_runs/history', { body })
    ids.push(...page.map(({ id }) => id))
    if (page.length < limit) break
  }
  return ids
}

export const resumeFlowRun = (id: string, runInput?: Record<string, unknown>) =>
  call<OrchestrationResult>('POST', `/flow_runs/${id}/resume`, { body: runInput ? { run_input: runInput } : {} })

/** The server takes this many at once. */
const bulkMax = 50

const inTurns = async <T>(ids: readonly string[], each: (some: string[]) => Promise<T[]>): Promise<T[]> => {
  const done: T[] = []
  for (let at = 0; at < ids.length; at += bulkMax) done.push(...(await each(ids.slice(at, at + bulkMax))))
  return done
}

const byIds = (ids: string[]) => ({ id: { any_: ids } })

export const setFlowRunStates = (ids: readonly string[], state: StateCreate, force = false): Promise<FlowRunOrchestrationResult[]> =>
  inTurns(ids, async (some) => {
    const body = { flow_runs: byIds(some), state, force, limit: bulkMax }
    return (await call<FlowRunBulkSetStateResponse>('POST', '/flow_runs/bulk_set_state', { body })).results
  })

export const deleteFlowRuns = (ids: readonly string[]): Promise<string[]> =>
  inTurns(ids, async (some) => {
    const body = { flow_runs: byIds(some), limit: bulkMax }
    return (await call<FlowRunBulkDeleteResponse>('POST', '/flow_runs/bulk_delete', { body })).deleted
  })
