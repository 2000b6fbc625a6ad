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
import type { CountsById, SimpleFlowRun, UIFlowRunsHistoryBody } from '@millrace/contracts/ui.ts'
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

export const flowRunCountQuery = (body: FlowRunsCount) =>
  queryOptions({
    queryKey: [noun, 'count', body],
    queryFn: ({ signal }) => call<number>('POST', '/flow_runs/count', { body, signal }),
    placeholderData: keepPreviousData,
  })

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

export const taskRunCountsQuery = (ids: readonly string[]) =>
  queryOptions({
    queryKey: [noun, 'task-run-counts', ids],
    queryFn: ({ signal }) => call<CountsById>('POST', '/ui/flow_runs/count-task-runs', { body: { flow_run_ids: ids }, signal }),
  })

export const setFlowRunState = (id: string, state: StateCreate, force = false) =>
  call<OrchestrationResult>('POST', `/flow_runs/${id}/set_state`, { body: { state, force } })

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
