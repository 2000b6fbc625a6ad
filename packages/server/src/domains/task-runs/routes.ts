import { HistoryResponse, TaskRunsHistoryBody } from '@millrace/contracts/history.ts'
import { Count } from '@millrace/contracts/paging.ts'
import { OrchestrationResult, SetStateBody } from '@millrace/contracts/state.ts'
import {
  TaskRun,
  TaskRunCreate,
  TaskRunPaginationResponse,
  TaskRunsCountBody,
  TaskRunsFilterBody,
  TaskRunsPaginateBody,
  TaskRunUpdate,
} from '@millrace/contracts/task-run.ts'
import Type from 'typebox'
import { notFound } from '../../errors.ts'
import { type Route, RouteResponse, route } from '../../lib/route.ts'
import { generateRunName } from '../../lib/run-name.ts'
import { readerById } from '../../storage/reader-by-id.ts'
import type { ServerContext } from '../../storage/server-context.ts'
import { IdParams, pageLimit, pageOffset, toPage } from '../request-params.ts'
import { runHistory } from '../run-history.ts'
import { toReceivedState } from '../run-state.ts'
import { taskRunCreationBatch } from './create-run.ts'
import { toTaskRunDraft } from './draft.ts'
import { taskRunTransitionBatch } from './set-state.ts'
import { countTaskRuns, deleteTaskRun, listTaskRuns, readTaskRun, readTaskRuns, toTaskRunResponse, toTaskRunSummary, updateTaskRun } from './store.ts'

const tag = 'Task Runs'
const read = 'task_runs:read'
const write = 'task_runs:write'

export function taskRunRoutes(context: ServerContext): Route[] {
  const { writeQueue, heavyReads, longReads, clock, config, random } = context
  const limitMax = config.server.api.default_limit
  const transitions = taskRunTransitionBatch(context)
  const creations = taskRunCreationBatch(context)
  const readRun = readerById(context, readTaskRun, readTaskRuns)

  return [
    route(
      {
        method: 'POST',
        path: '/task_runs/',
        tag,
        summary: 'Create a task run',
        scope: write,
        body: TaskRunCreate,
        responses: { 201: TaskRun, 200: TaskRun },
      },
      async ({ body }) => {
        const { isNew, row } = await writeQueue.submitTo(creations, toTaskRunDraft(body, config.task_runs.maximum_cache_key_length))
        return new RouteResponse(isNew ? 201 : 200, toTaskRunResponse(row, clock.now()))
      },
    ),
    route(
      { method: 'GET', path: '/task_runs/:id', tag, summary: 'Read a task run', scope: read, params: IdParams, responses: { 200: TaskRun } },
      async ({ params }) => {
        const row = await readRun(params.id)
        if (!row) throw notFound('Task run')
        return toTaskRunResponse(row, clock.now())
      },
    ),
    route(
      {
        method: 'PATCH',
        path: '/task_runs/:id',
        tag,
        summary: 'Rename a task run',
        scope: write,
        params: IdParams,
        body: TaskRunUpdate,
        responses: { 204: null },
      },
      ({ params, body }) =>
        writeQueue.submit(async (tx) => {
          const change = 'name' in body ? { name: body.name || generateRunName(random) } : {}
          if ((await updateTaskRun(tx, { id: params.id, updated: clock.now(), ...change })) === 0) throw notFound('Task run')
        }),
    ),
    route(
      { method: 'DELETE', path: '/task_runs/:id', tag, summary: 'Delete a task run', scope: write, params: IdParams, responses: { 204: null } },
      ({ params }) => writeQueue.submit(deleteTaskRun(params.id)),
    ),
    route(
      {
        method: 'POST',
        path: '/task_runs/:id/set_state',
        tag,
        summary: 'Propose a state for a task run',
        scope: write,
        params: IdParams,
        body: SetStateBody,
        responses: { 201: OrchestrationResult, 200: OrchestrationResult },
      },
      async ({ params, body }) => {
        const { written, result } = await writeQueue.submitTo(transitions, { id: params.id, state: toReceivedState(body.state), force: body.force })
        return new RouteResponse(written ? 201 : 200, result)
      },
    ),
    route(
      { method: 'POST', path: '/task_runs/count', tag, summary: 'Count task runs', scope: read, body: TaskRunsCountBody, responses: { 200: Count } },
      ({ body }) => countTaskRuns(heavyReads, body, longReads),
    ),
    route(
      {
        method: 'POST',
        path: '/task_runs/filter',
        tag,
        summary: 'List task runs',
        scope: read,
        body: TaskRunsFilterBody,
        responses: { 200: Type.Array(TaskRun) },
      },
      async ({ body }) => {
        const rows = await listTaskRuns(heavyReads, body, { sort: body.sort, limit: pageLimit(body.limit, limitMax), offset: body.offset })
        const now = clock.now()
        return rows.map((row) => toTaskRunResponse(row, now))
      },
    ),
    route(
      {
        method: 'POST',
        path: '/task_runs/paginate',
        tag,
        summary: 'List task runs by page',
        scope: read,
        body: TaskRunsPaginateBody,
        responses: { 200: TaskRunPaginationResponse },
      },
      async ({ body }) => {
        const limit = pageLimit(body.limit, limitMax)
        const rows = await listTaskRuns(heavyReads, body, { sort: body.sort, limit, offset: pageOffset(body.page, limit) })
        const now = clock.now()
        return toPage(
          rows.map((row) => toTaskRunSummary(row, now)),
          await countTaskRuns(heavyReads, body, longReads),
          limit,
          body.page,
        )
      },
    ),
    route(
      {
        method: 'POST',
        path: '/task_runs/history',
        tag,
        summary: 'Count task runs by interval and state',
        scope: read,
        body: TaskRunsHistoryBody,
        responses: { 200: Type.Array(HistoryResponse) },
      },
      ({ body }) => runHistory(longReads, 'task_run', body, clock.now()),
    ),
  ]
}
