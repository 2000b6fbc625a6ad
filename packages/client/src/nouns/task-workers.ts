import type { TaskWorkerResponse, TaskWorkersFilterBody } from '@millrace/contracts/task-worker.ts'
import type { CallOptions } from '../http.ts'
import { OperationGroup } from './operation-group.ts'

/** Processes that serve tasks in the background. */
export class TaskWorkers extends OperationGroup {
  /** Lists the task workers that are connected now, all or those of some task keys. */
  list(body: TaskWorkersFilterBody = {}, options?: CallOptions): Promise<TaskWorkerResponse[]> {
    return this.http.call('POST', '/task_workers/filter', { body, isIdempotent: true, options })
  }
}
