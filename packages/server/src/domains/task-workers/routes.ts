import { TaskWorkerResponse, TaskWorkersFilterBody } from '@millrace/contracts/task-worker.ts'
import Type from 'typebox'
import { type Route, route } from '../../lib/route.ts'
import type { ServerContext } from '../../storage/server-context.ts'
import { taskWorkers } from './registry.ts'

export function taskWorkerRoutes(context: ServerContext): Route[] {
  return [
    route(
      {
        method: 'POST',
        path: '/task_workers/filter',
        tag: 'Task Workers',
        summary: 'List connected task workers',
        scope: 'task_workers:read',
        kind: 'query',
        body: TaskWorkersFilterBody,
        responses: { 200: Type.Array(TaskWorkerResponse) },
      },
      ({ body }) => taskWorkers(context).list(body.task_worker_filter?.task_keys),
    ),
  ]
}
