import type { TaskRun, TaskRunsFilterBody } from '@millrace/contracts/task-run.ts'
import type { CountByState, UITaskRun, UITaskRunsCountBody } from '@millrace/contracts/ui.ts'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { call, type RequestBody } from './client.ts'

const noun = 'task-runs'

/** Includes the name of the flow run. */
export const taskRunQuery = (id: string) =>
  queryOptions({ queryKey: [noun, 'one', id], queryFn: ({ signal }) => call<UITaskRun>('GET', `/ui/task_runs/${id}`, { signal }) })

export const taskRunsQuery = (body: RequestBody<typeof TaskRunsFilterBody>) =>
  queryOptions({
    queryKey: [noun, 'list', body],
    queryFn: ({ signal }) => call<TaskRun[]>('POST', '/task_runs/filter', { body, signal }),
    placeholderData: keepPreviousData,
  })

export const taskRunStateCountsQuery = (body: RequestBody<typeof UITaskRunsCountBody>) =>
  queryOptions({
    queryKey: [noun, 'by-state', body],
    queryFn: ({ signal }) => call<CountByState>('POST', '/ui/task_runs/count', { body, signal }),
    placeholderData: keepPreviousData,
  })
