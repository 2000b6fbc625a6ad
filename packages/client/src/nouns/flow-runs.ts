import type {
  FlowRunBulkDeleteResponse,
  FlowRunBulkSetStateResponse,
  FlowRunCreate,
  FlowRunLabelsBody,
  FlowRunPaginationResponse,
  FlowRunResponse,
  FlowRunResumeBody,
  FlowRunsBulkDeleteBody,
  FlowRunsBulkSetStateBody,
  FlowRunsCountBody,
  FlowRunsFilterBody,
  FlowRunsLateness,
  FlowRunsLatenessBody,
  FlowRunsPaginateBody,
  FlowRunUpdate,
} from '@millrace/contracts/flow-run.ts'
import type { FlowRunInput, FlowRunInputCreateBody, FlowRunInputFilterBody } from '@millrace/contracts/flow-run-input.ts'
import type { DependencyResult, Graph } from '@millrace/contracts/graph.ts'
import type { FlowRunsHistoryBody, HistoryResponse } from '@millrace/contracts/history.ts'
import type { LatestRunsBody, LatestRunsById } from '@millrace/contracts/latest-runs.ts'
import type { OrchestrationResult, SetStateBody, State, Verdict } from '@millrace/contracts/state.ts'
import type { CountsById, SimpleFlowRun, UIFlowRunsCountTaskRunsBody, UIFlowRunsHistoryBody } from '@millrace/contracts/ui.ts'
import type { CallOptions } from '../http.ts'
import { hasIdempotencyKey, hasTransitionId } from '../idempotency.ts'
import { iterateByOffset, type PageOptions } from '../pages.ts'
import { OperationGroup } from './operation-group.ts'

/** Runs of flows. */
export class FlowRuns extends OperationGroup {
  /** Creates a flow run. With an `idempotency_key` that the flow has used before it returns that run. */
  create(body: FlowRunCreate, options?: CallOptions): Promise<FlowRunResponse> {
    return this.http.call('POST', '/flow_runs/', { body, isIdempotent: hasIdempotencyKey(body), options })
  }

  /** Reads a flow run with its current state. */
  read(id: string, options?: CallOptions): Promise<FlowRunResponse> {
    return this.http.call('GET', '/flow_runs/{id}', { path: { id }, options })
  }

  /** Updates the given fields of a flow run. `setState` changes its state. */
  update(id: string, body: FlowRunUpdate, options?: CallOptions): Promise<void> {
    return this.http.call('PATCH', '/flow_runs/{id}', { path: { id }, body, options })
  }

  /** Merges labels into those of a flow run. */
  mergeLabels(id: string, body: FlowRunLabelsBody, options?: CallOptions): Promise<void> {
    return this.http.call('PATCH', '/flow_runs/{id}/labels', { path: { id }, body, options })
  }

  /** Deletes a flow run with its task runs and logs. */
  delete(id: string, options?: CallOptions): Promise<void> {
    return this.http.call('DELETE', '/flow_runs/{id}', { path: { id }, options })
  }

  /** Proposes a state for a flow run. A rejected proposal is no error: check the `status` of the result. */
  setState(id: string, body: SetStateBody, options?: CallOptions): Promise<OrchestrationResult> {
    return this.http.call('POST', '/flow_runs/{id}/set_state', { path: { id }, body, isIdempotent: hasTransitionId(body), options })
  }

  /** Proposes a state for at most 50 matching flow runs. Each is accepted or rejected on its own. */
  setStateOfMatching(body: FlowRunsBulkSetStateBody, options?: CallOptions): Promise<FlowRunBulkSetStateResponse> {
    return this.http.call('POST', '/flow_runs/bulk_set_state', { body, options })
  }

  /** Deletes at most 50 matching flow runs and returns their ids. Repeat it until none is left. */
  deleteMatching(body: FlowRunsBulkDeleteBody = {}, options?: CallOptions): Promise<FlowRunBulkDeleteResponse> {
    return this.http.call('POST', '/flow_runs/bulk_delete', { body, options })
  }

  /** Counts flow runs. `count_up_to` ends the count of a large number early. */
  count(body: FlowRunsCountBody = {}, options?: CallOptions): Promise<number> {
    return this.http.call('POST', '/flow_runs/count', { body, isIdempotent: true, options })
  }

  /** Lists flow runs, by default in descending order of their ids. */
  list(body: FlowRunsFilterBody = {}, options?: CallOptions): Promise<FlowRunResponse[]> {
    return this.http.call('POST', '/flow_runs/filter', { body, isIdempotent: true, options })
  }

  /** Iterates over all matching items, page by page. */
  listAll(body: Omit<FlowRunsFilterBody, 'offset' | 'limit'> = {}, options?: PageOptions): AsyncGenerator<FlowRunResponse, void, undefined> {
    return iterateByOffset((page, call) => this.list({ ...body, ...page }, call), options)
  }

  /** Lists flow runs by page number, with the total count. */
  page(body: FlowRunsPaginateBody = {}, options?: CallOptions): Promise<FlowRunPaginationResponse> {
    return this.http.call('POST', '/flow_runs/paginate', { body, isIdempotent: true, options })
  }

  /** Counts flow runs by time interval and state. */
  history(body: FlowRunsHistoryBody, options?: CallOptions): Promise<HistoryResponse[]> {
    return this.http.call('POST', '/flow_runs/history', { body, isIdempotent: true, options })
  }

  /** Reads the average lateness of flow runs in seconds, or null if none was late. */
  averageLateness(body: FlowRunsLatenessBody = {}, options?: CallOptions): Promise<FlowRunsLateness> {
    return this.http.call('POST', '/flow_runs/lateness', { body, isIdempotent: true, options })
  }

  /** Reads the task runs of a flow run and those that each depends on. */
  dependencies(id: string, options?: CallOptions): Promise<DependencyResult[]> {
    return this.http.call('GET', '/flow_runs/{id}/graph', { path: { id }, options })
  }

  /** Reads the graph of the task runs, subflows and artifacts of a flow run, only nodes that changed since a time if given. */
  graph(id: string, { since }: { since?: string } = {}, options?: CallOptions): Promise<Graph> {
    return this.http.call('GET', '/flow_runs/{id}/graph-v2', { path: { id }, query: { since }, options })
  }

  /** Resumes a paused flow run, with the input that it waits for. */
  resume(id: string, body: FlowRunResumeBody = {}, options?: CallOptions): Promise<OrchestrationResult> {
    return this.http.call('POST', '/flow_runs/{id}/resume', { path: { id }, body, options })
  }

  /** Sends an input to a flow run under a new key. */
  createInput(id: string, body: FlowRunInputCreateBody, options?: CallOptions): Promise<void> {
    return this.http.call('POST', '/flow_runs/{id}/input', { path: { id }, body, options })
  }

  /** Lists the inputs of a flow run whose keys have a prefix, oldest first. */
  listInputs(id: string, body: FlowRunInputFilterBody, options?: CallOptions): Promise<FlowRunInput[]> {
    return this.http.call('POST', '/flow_runs/{id}/input/filter', { path: { id }, body, isIdempotent: true, options })
  }

  /** Reads the value of an input as text. */
  readInput(id: string, key: string, options?: CallOptions): Promise<string> {
    return this.http.callForText('GET', '/flow_runs/{id}/input/{key}', { path: { id, key }, options })
  }

  /** Deletes an input. */
  deleteInput(id: string, key: string, options?: CallOptions): Promise<void> {
    return this.http.call('DELETE', '/flow_runs/{id}/input/{key}', { path: { id, key }, options })
  }

  /** Lists flow runs as points of a chart: state, time, duration, lateness. */
  chartPoints(body: UIFlowRunsHistoryBody = {}, options?: CallOptions): Promise<SimpleFlowRun[]> {
    return this.http.call('POST', '/ui/flow_runs/history', { body, isIdempotent: true, options })
  }

  /** Counts the task runs of flow runs. */
  countTaskRuns(body: UIFlowRunsCountTaskRunsBody, options?: CallOptions): Promise<CountsById> {
    return this.http.call('POST', '/ui/flow_runs/count-task-runs', { body, isIdempotent: true, options })
  }

  /** Reads the last runs of flows and deployments, and their next scheduled start. */
  latest(body: LatestRunsBody = {}, options?: CallOptions): Promise<LatestRunsById> {
    return this.http.call('POST', '/ui/flow_runs/latest', { body, isIdempotent: true, options })
  }

  /** Lists the states of a flow run, oldest first. */
  listStates(flowRunId: string, options?: CallOptions): Promise<State[]> {
    return this.http.call('GET', '/flow_run_states/', { query: { flow_run_id: flowRunId }, options })
  }

  /** Reads a state of a flow run by the id of the state. */
  readState(id: string, options?: CallOptions): Promise<State> {
    return this.http.call('GET', '/flow_run_states/{id}', { path: { id }, options })
  }

  /** Lists the orchestration verdicts of a flow run, oldest first. Accepts without a reason are not recorded. */
  listVerdicts(id: string, { limit }: { limit?: number } = {}, options?: CallOptions): Promise<Verdict[]> {
    return this.http.call('GET', '/flow_runs/{id}/verdicts', { path: { id }, query: { limit }, options })
  }

  /** Downloads all logs of a flow run as CSV. */
  downloadLogs(id: string, options?: CallOptions): Promise<ReadableStream<Uint8Array>> {
    return this.http.stream('GET', '/flow_runs/{id}/logs/download', { path: { id }, options })
  }
}
