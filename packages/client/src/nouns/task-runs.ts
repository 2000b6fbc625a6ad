import type { HistoryResponse, TaskRunsHistoryBody } from '@millrace/contracts/history.ts'
import type { OrchestrationResult, SetStateBody, State, Verdict } from '@millrace/contracts/state.ts'
import type {
  TaskRun,
  TaskRunCreate,
  TaskRunPaginationResponse,
  TaskRunsCountBody,
  TaskRunsFilterBody,
  TaskRunsPaginateBody,
  TaskRunUpdate,
} from '@millrace/contracts/task-run.ts'
import type { CountByState, TaskRunCount, UITaskRun, UITaskRunsCountBody, UITaskRunsDashboardCountsBody } from '@millrace/contracts/ui.ts'
import type { CallOptions } from '../http.ts'
import { hasTransitionId } from '../idempotency.ts'
import { iterateByOffset, type PageOptions } from '../pages.ts'
import { OperationGroup } from './operation-group.ts'

/** Runs of tasks, most of them part of a flow run. */
export class TaskRuns extends OperationGroup {
  /** Creates a task run. If its flow run has one with the same `task_key` and `dynamic_key`, it returns that run. */
  create(body: TaskRunCreate, options?: CallOptions): Promise<TaskRun> {
    return this.http.call('POST', '/task_runs/', { body, isIdempotent: body.flow_run_id != null, options })
  }

  /** Reads a task run with its current state. */
  read(id: string, options?: CallOptions): Promise<TaskRun> {
    return this.http.call('GET', '/task_runs/{id}', { path: { id }, options })
  }

  /** Renames a task run. */
  update(id: string, body: TaskRunUpdate, options?: CallOptions): Promise<void> {
    return this.http.call('PATCH', '/task_runs/{id}', { path: { id }, body, options })
  }

  /** Deletes a task run with its logs. */
  delete(id: string, options?: CallOptions): Promise<void> {
    return this.http.call('DELETE', '/task_runs/{id}', { path: { id }, options })
  }

  /** Proposes a state for a task run. A rejected proposal is no error: check the `status` of the result. */
  setState(id: string, body: SetStateBody, options?: CallOptions): Promise<OrchestrationResult> {
    return this.http.call('POST', '/task_runs/{id}/set_state', { path: { id }, body, isIdempotent: hasTransitionId(body), options })
  }

  /** Counts task runs. */
  count(body: TaskRunsCountBody = {}, options?: CallOptions): Promise<number> {
    return this.http.call('POST', '/task_runs/count', { body, isIdempotent: true, options })
  }

  /** Lists task runs, by default in descending order of their ids. */
  list(body: TaskRunsFilterBody = {}, options?: CallOptions): Promise<TaskRun[]> {
    return this.http.call('POST', '/task_runs/filter', { body, isIdempotent: true, options })
  }

  /** Iterates over all matching items, page by page. */
  listAll(body: Omit<TaskRunsFilterBody, 'offset' | 'limit'> = {}, options?: PageOptions): AsyncGenerator<TaskRun, void, undefined> {
    return iterateByOffset((page, call) => this.list({ ...body, ...page }, call), options)
  }

  /** Lists task runs by page number, with the total count. */
  page(body: TaskRunsPaginateBody = {}, options?: CallOptions): Promise<TaskRunPaginationResponse> {
    return this.http.call('POST', '/task_runs/paginate', { body, isIdempotent: true, options })
  }

  /** Counts task runs by time interval and state. */
  history(body: TaskRunsHistoryBody, options?: CallOptions): Promise<HistoryResponse[]> {
    return this.http.call('POST', '/task_runs/history', { body, isIdempotent: true, options })
  }

  /** Counts finished task runs in twenty time buckets since `task_runs.start_time.after_`. */
  chartCounts(body: UITaskRunsDashboardCountsBody, options?: CallOptions): Promise<TaskRunCount[]> {
    return this.http.call('POST', '/ui/task_runs/dashboard/counts', { body, isIdempotent: true, options })
  }

  /** Counts task runs by state type. */
  countByState(body: UITaskRunsCountBody = {}, options?: CallOptions): Promise<CountByState> {
    return this.http.call('POST', '/ui/task_runs/count', { body, isIdempotent: true, options })
  }

  /** Reads a task run with the name of its flow run. */
  readWithFlowRunName(id: string, options?: CallOptions): Promise<UITaskRun> {
    return this.http.call('GET', '/ui/task_runs/{id}', { path: { id }, options })
  }

  /** Lists the states of a task run, oldest first. */
  listStates(taskRunId: string, options?: CallOptions): Promise<State[]> {
    return this.http.call('GET', '/task_run_states/', { query: { task_run_id: taskRunId }, options })
  }

  /** Reads a state of a task run by the id of the state. */
  readState(id: string, options?: CallOptions): Promise<State> {
    return this.http.call('GET', '/task_run_states/{id}', { path: { id }, options })
  }

  /** Lists the orchestration verdicts of a task run, oldest first. Accepts without a reason are not recorded. */
  listVerdicts(id: string, { limit }: { limit?: number } = {}, options?: CallOptions): Promise<Verdict[]> {
    return this.http.call('GET', '/task_runs/{id}/verdicts', { path: { id }, query: { limit }, options })
  }
}
