import { HistoryResponse, TaskRunsHistoryBody } from '@millrace/contracts/history.ts'
import { Count } from '@millrace/contracts/paging.ts'
import { OrchestrationResult, SetStateBody } from '@millrace/contracts/state.ts'
import {
  TaskRun,
  TaskRunCreate,
  TaskRunPaginationResponse,
  type TaskRunSort,
  TaskRunsCountBody,
  TaskRunsFilterBody,
  TaskRunsPaginateBody,
  TaskRunUpdate,
} from '@millrace/contracts/task-run.ts'
import Type from 'typebox'
import { notFound } from '../../errors.ts'
import { type Route, RouteResponse, route } from '../../lib/route.ts'
import { changeRun } from '../../runs/batch.ts'
import { deleteTaskRun } from '../../runs/delete-runs.ts'
import { readerById } from '../../storage/reader-by-id.ts'
import type { ServerContext } from '../../storage/server-context.ts'
import { IdParams, pageLimit, pageOffset, toPage } from '../request-params.ts'
import { runHistory } from '../run-history.ts'
import { toReceivedState } from '../run-states/received-state.ts'
import { readsFor } from '../text-searches.ts'
import { toTaskRunDraft } from './draft.ts'
import { isDurationSort } from './filter.ts'
import { countTaskRuns, listTaskRuns, readTaskRun, readTaskRuns, toTaskRunResponse, toTaskRunSummary } from './store.ts'

const tag = 'Task Runs'
const read = 'task_runs:read'
const write = 'task_runs:write'

export function taskRunRoutes(context: ServerContext): Route[] {
  const { writeQueue, heavyReads, longReads, clock, config } = context
  const limitMax = config.server.api.default_limit
  const readRun = readerById(context, readTaskRun, readTaskRuns)

  /** A page by duration sorts many task runs. */
  const readsOf = (body: { sort: TaskRunSort }) => (isDurationSort(body.sort) ? longReads : readsFor(context, body))

  return [
    route(
      {
        method: 'POST',
        path: '/task_runs/',
        tag,
        summary: 'Create a task run',
        scope: write,
        kind: 'change',
        body: TaskRunCreate,
        responses: { 201: TaskRun, 200: TaskRun },
      },
      async ({ body, actor }) => {
        const { isNew, row } = await changeRun(context, {
          kind: 'create_task_run',
          actor,
          draft: toTaskRunDraft(body, config.task_runs.maximum_cache_key_length),
        })
        return new RouteResponse(isNew ? 201 : 200, toTaskRunResponse(row, clock.now()))
      },
    ),
    route(
      {
        method: 'GET',
        path: '/task_runs/:id',
        tag,
        summary: 'Read a task run',
        scope: read,
        kind: 'query',
        params: IdParams,
        responses: { 200: TaskRun },
      },
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
        kind: 'change',
        params: IdParams,
        body: TaskRunUpdate,
        responses: { 204: null },
      },
      ({ params, body, actor }) =>
        changeRun(context, { kind: 'change_task_run', actor, id: params.id, ...('name' in body ? { name: body.name ?? null } : {}) }),
    ),
    route(
      {
        method: 'DELETE',
        path: '/task_runs/:id',
        tag,
        summary: 'Delete a task run',
        scope: write,
        kind: 'change',
        params: IdParams,
        responses: { 204: null },
      },
      ({ params, actor }) =>
        writeQueue.as(actor).submit(async (tx) => {
          if (!(await deleteTaskRun(tx, params.id))) throw notFound('Task run')
        }),
    ),
    route(
      {
        method: 'POST',
        path: '/task_runs/:id/set_state',
        tag,
        summary: 'Propose a state for a task run',
        scope: write,
        kind: 'change',
        params: IdParams,
        body: SetStateBody,
        responses: { 201: OrchestrationResult, 200: OrchestrationResult },
      },
      async ({ params, body, actor }) => {
        const { written, result } = await changeRun(context, {
          kind: 'propose_task_run',
          actor,
          id: params.id,
          state: toReceivedState(body.state),
          force: body.force,
        })
        return new RouteResponse(written ? 201 : 200, result)
      },
    ),
    route(
      {
        method: 'POST',
        path: '/task_runs/count',
        tag,
        summary: 'Count task runs',
        scope: read,
        kind: 'query',
        body: TaskRunsCountBody,
        responses: { 200: Count },
      },
      ({ body }) => countTaskRuns(heavyReads, body, longReads),
    ),
    route(
      {
        method: 'POST',
        path: '/task_runs/filter',
        tag,
        summary: 'List task runs',
        scope: read,
        kind: 'query',
        body: TaskRunsFilterBody,
        responses: { 200: Type.Array(TaskRun) },
      },
      async ({ body }) => {
        const now = clock.now()
        const rows = await listTaskRuns(readsOf(body), body, {
          sort: body.sort,
          limit: pageLimit(body.limit, limitMax),
          offset: body.offset,
          now,
        })
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
        kind: 'query',
        body: TaskRunsPaginateBody,
        responses: { 200: TaskRunPaginationResponse },
      },
      async ({ body }) => {
        const limit = pageLimit(body.limit, limitMax)
        const now = clock.now()
        const rows = await listTaskRuns(readsOf(body), body, { sort: body.sort, limit, offset: pageOffset(body.page, limit), now })
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
        kind: 'query',
        body: TaskRunsHistoryBody,
        responses: { 200: Type.Array(HistoryResponse) },
      },
      ({ body }) => runHistory(longReads, 'task_run', body, clock.now()),
    ),
  ]
}
