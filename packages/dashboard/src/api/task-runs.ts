import type { TaskRunsFilterBody } from '@millrace/contracts/task-run.ts'
import type { UITaskRunsCountBody } from '@millrace/contracts/ui.ts'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { client } from './client.ts'

const noun = 'task-runs'

/** Includes the name of the flow run. */
export const taskRunQuery = (id: string) =>
  queryOptions({ queryKey: [noun, 'one', id], queryFn: ({ signal }) => client.taskRuns.readWithFlowRunName(id, { signal }) })

export const taskRunsQuery = (body: TaskRunsFilterBody) =>
  queryOptions({
    queryKey: [noun, 'list', body],
    queryFn: ({ signal }) => client.taskRuns.list(body, { signal }),
    placeholderData: keepPreviousData,
  })

export const taskRunStateCountsQuery = (body: UITaskRunsCountBody) =>
  queryOptions({
    queryKey: [noun, 'by-state', body],
    queryFn: ({ signal }) => client.taskRuns.countByState(body, { signal }),
    placeholderData: keepPreviousData,
  })
