import type { WorkPoolConcurrencyStatus, WorkPoolConcurrencyStatusBody } from '@millrace/contracts/concurrency-status.ts'
import type {
  WorkerFlowRunResponse,
  WorkPoolCreate,
  WorkPoolResponse,
  WorkPoolScheduledFlowRunsBody,
  WorkPoolsCountBody,
  WorkPoolsFilterBody,
  WorkPoolUpdate,
} from '@millrace/contracts/work-pool.ts'
import type { CallOptions } from '../http.ts'
import { iterateByOffset, type PageOptions } from '../pages.ts'
import { OperationGroup } from './operation-group.ts'

/** Pools of work for workers of one type. */
export class WorkPools extends OperationGroup {
  /** Creates a work pool with its default queue. Throws a `ConflictError` if one has this name. */
  create(body: WorkPoolCreate, options?: CallOptions): Promise<WorkPoolResponse> {
    return this.http.call('POST', '/work_pools/', { body, options })
  }

  /** Reads a work pool by name. */
  read(name: string, options?: CallOptions): Promise<WorkPoolResponse> {
    return this.http.call('GET', '/work_pools/{name}', { path: { name }, options })
  }

  /** Updates the given fields of a work pool. */
  update(name: string, body: WorkPoolUpdate, options?: CallOptions): Promise<void> {
    return this.http.call('PATCH', '/work_pools/{name}', { path: { name }, body, options })
  }

  /** Deletes a work pool with its queues and workers. */
  delete(name: string, options?: CallOptions): Promise<void> {
    return this.http.call('DELETE', '/work_pools/{name}', { path: { name }, options })
  }

  /** Lists work pools, by name. */
  list(body: WorkPoolsFilterBody = {}, options?: CallOptions): Promise<WorkPoolResponse[]> {
    return this.http.call('POST', '/work_pools/filter', { body, isIdempotent: true, options })
  }

  /** Iterates over all matching items, page by page. */
  listAll(body: Omit<WorkPoolsFilterBody, 'offset' | 'limit'> = {}, options?: PageOptions): AsyncGenerator<WorkPoolResponse, void, undefined> {
    return iterateByOffset((page, call) => this.list({ ...body, ...page }, call), options)
  }

  /** Counts work pools. */
  count(body: WorkPoolsCountBody = {}, options?: CallOptions): Promise<number> {
    return this.http.call('POST', '/work_pools/count', { body, isIdempotent: true, options })
  }

  /** Lists the runs that hold slots of a work pool, by queue. */
  concurrencyStatus(name: string, body: WorkPoolConcurrencyStatusBody = {}, options?: CallOptions): Promise<WorkPoolConcurrencyStatus> {
    return this.http.call('POST', '/work_pools/{name}/concurrency_status', { path: { name }, body, isIdempotent: true, options })
  }

  /** Returns the due runs of a work pool for a worker, within its limits. */
  pollScheduledRuns(name: string, body: WorkPoolScheduledFlowRunsBody = {}, options?: CallOptions): Promise<WorkerFlowRunResponse[]> {
    return this.http.call('POST', '/work_pools/{name}/get_scheduled_flow_runs', { path: { name }, body, isIdempotent: true, options })
  }
}
