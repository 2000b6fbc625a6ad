import type { WorkerHeartbeatBody, WorkerResponse, WorkersFilterBody } from '@millrace/contracts/worker.ts'
import type { CallOptions } from '../http.ts'
import { iterateByOffset, type PageOptions } from '../pages.ts'
import { OperationGroup } from './operation-group.ts'

/** Processes that take runs from a work pool. */
export class Workers extends OperationGroup {
  /** Records that a worker is alive. The first heartbeat creates the worker. */
  heartbeat(pool: string, body: WorkerHeartbeatBody, options?: CallOptions): Promise<void> {
    return this.http.call('POST', '/work_pools/{work_pool_name}/workers/heartbeat', {
      path: { work_pool_name: pool },
      body,
      isIdempotent: true,
      options,
    })
  }

  /** Lists the workers of a pool, the last heartbeat first. */
  list(pool: string, body: WorkersFilterBody = {}, options?: CallOptions): Promise<WorkerResponse[]> {
    return this.http.call('POST', '/work_pools/{work_pool_name}/workers/filter', {
      path: { work_pool_name: pool },
      body,
      isIdempotent: true,
      options,
    })
  }

  /** Iterates over all matching items, page by page. */
  listAll(
    pool: string,
    body: Omit<WorkersFilterBody, 'offset' | 'limit'> = {},
    options?: PageOptions,
  ): AsyncGenerator<WorkerResponse, void, undefined> {
    return iterateByOffset((page, call) => this.list(pool, { ...body, ...page }, call), options)
  }

  /** Deletes a worker of a pool by name. */
  delete(pool: string, name: string, options?: CallOptions): Promise<void> {
    return this.http.call('DELETE', '/work_pools/{work_pool_name}/workers/{name}', { path: { work_pool_name: pool, name }, options })
  }
}
