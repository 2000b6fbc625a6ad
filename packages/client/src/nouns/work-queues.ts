import type { WorkQueueConcurrencyStatus, WorkQueueConcurrencyStatusBody } from '@millrace/contracts/concurrency-status.ts'
import type { FlowRunResponse } from '@millrace/contracts/flow-run.ts'
import type {
  WorkQueueCreate,
  WorkQueueResponse,
  WorkQueueRunsBody,
  WorkQueueStatusDetail,
  WorkQueuesFilterBody,
  WorkQueueUpdate,
} from '@millrace/contracts/work-queue.ts'
import type { CallOptions } from '../http.ts'
import { iterateByOffset, type PageOptions } from '../pages.ts'
import { OperationGroup } from './operation-group.ts'

/** Queues of work pools. Methods without `InPool` work by id, or on the pool of queues that were created without a pool. */
export class WorkQueues extends OperationGroup {
  /** Creates a work queue in a pool. Throws a `ConflictError` if the pool has one with this name. */
  createInPool(pool: string, body: WorkQueueCreate, options?: CallOptions): Promise<WorkQueueResponse> {
    return this.http.call('POST', '/work_pools/{work_pool_name}/queues', { path: { work_pool_name: pool }, body, options })
  }

  /** Lists the work queues of a pool, by priority. */
  listInPool(pool: string, body: WorkQueuesFilterBody = {}, options?: CallOptions): Promise<WorkQueueResponse[]> {
    return this.http.call('POST', '/work_pools/{work_pool_name}/queues/filter', { path: { work_pool_name: pool }, body, isIdempotent: true, options })
  }

  /** Iterates over all matching items, page by page. */
  listAllInPool(
    pool: string,
    body: Omit<WorkQueuesFilterBody, 'offset' | 'limit'> = {},
    options?: PageOptions,
  ): AsyncGenerator<WorkQueueResponse, void, undefined> {
    return iterateByOffset((page, call) => this.listInPool(pool, { ...body, ...page }, call), options)
  }

  /** Reads a work queue of a pool by name. */
  readInPool(pool: string, name: string, options?: CallOptions): Promise<WorkQueueResponse> {
    return this.http.call('GET', '/work_pools/{work_pool_name}/queues/{name}', { path: { work_pool_name: pool, name }, options })
  }

  /** Updates the given fields of a work queue of a pool. */
  updateInPool(pool: string, name: string, body: WorkQueueUpdate, options?: CallOptions): Promise<void> {
    return this.http.call('PATCH', '/work_pools/{work_pool_name}/queues/{name}', { path: { work_pool_name: pool, name }, body, options })
  }

  /** Deletes a work queue of a pool. The default queue cannot be deleted. */
  deleteInPool(pool: string, name: string, options?: CallOptions): Promise<void> {
    return this.http.call('DELETE', '/work_pools/{work_pool_name}/queues/{name}', { path: { work_pool_name: pool, name }, options })
  }

  /** Creates a work queue without a pool. The server puts it into the pool for such queues. */
  create(body: WorkQueueCreate, options?: CallOptions): Promise<WorkQueueResponse> {
    return this.http.call('POST', '/work_queues/', { body, options })
  }

  /** Lists the work queues of all pools, by name. */
  list(body: WorkQueuesFilterBody = {}, options?: CallOptions): Promise<WorkQueueResponse[]> {
    return this.http.call('POST', '/work_queues/filter', { body, isIdempotent: true, options })
  }

  /** Iterates over all matching items, page by page. */
  listAll(body: Omit<WorkQueuesFilterBody, 'offset' | 'limit'> = {}, options?: PageOptions): AsyncGenerator<WorkQueueResponse, void, undefined> {
    return iterateByOffset((page, call) => this.list({ ...body, ...page }, call), options)
  }

  /** Reads a work queue by name that was created without a pool. */
  readByName(name: string, options?: CallOptions): Promise<WorkQueueResponse> {
    return this.http.call('GET', '/work_queues/name/{name}', { path: { name }, options })
  }

  /** Reads a work queue by id. */
  read(id: string, options?: CallOptions): Promise<WorkQueueResponse> {
    return this.http.call('GET', '/work_queues/{id}', { path: { id }, options })
  }

  /** Updates the given fields of a work queue by id. */
  update(id: string, body: WorkQueueUpdate, options?: CallOptions): Promise<void> {
    return this.http.call('PATCH', '/work_queues/{id}', { path: { id }, body, options })
  }

  /** Deletes a work queue by id. */
  delete(id: string, options?: CallOptions): Promise<void> {
    return this.http.call('DELETE', '/work_queues/{id}', { path: { id }, options })
  }

  /** Returns the due runs of a work queue for an agent. */
  pollRuns(id: string, body: WorkQueueRunsBody = {}, options?: CallOptions): Promise<FlowRunResponse[]> {
    return this.http.call('POST', '/work_queues/{id}/get_runs', { path: { id }, body, isIdempotent: true, options })
  }

  /** Lists the runs that hold slots of a work queue. */
  concurrencyStatus(id: string, body: WorkQueueConcurrencyStatusBody = {}, options?: CallOptions): Promise<WorkQueueConcurrencyStatus> {
    return this.http.call('POST', '/work_queues/{id}/concurrency_status', { path: { id }, body, isIdempotent: true, options })
  }

  /** Reads the health of a work queue: late runs, and when it was last polled. */
  status(id: string, options?: CallOptions): Promise<WorkQueueStatusDetail> {
    return this.http.call('GET', '/work_queues/{id}/status', { path: { id }, options })
  }
}
