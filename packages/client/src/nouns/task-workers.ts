import type { TaskWorkerResponse, TaskWorkersFilterBody } from '@millrace/contracts/task-worker.ts'
import type { CallOptions } from '../http.ts'
import { OperationGroup } from './operation-group.ts'

export class TaskWorkers extends OperationGroup {
  /** Lists connected task workers. */
  list(body: TaskWorkersFilterBody = {}, options?: CallOptions): Promise<TaskWorkerResponse[]> {
    return this.http.call('POST', '/task_workers/filter', { body, isIdempotent: true, options })
  }
}
