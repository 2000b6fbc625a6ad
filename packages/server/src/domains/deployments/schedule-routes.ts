import { Uuid } from '@millrace/contracts/primitives.ts'
import { DeploymentSchedule, DeploymentSchedulesCreateBody, DeploymentScheduleUpdate } from '@millrace/contracts/schedule.ts'
import Type from 'typebox'
import { notFound } from '../../errors.ts'
import { type Route, route } from '../../lib/route.ts'
import { deletePlannedRuns } from '../../runs/delete-runs.ts'
import type { Tx } from '../../storage/database.ts'
import type { ServerContext } from '../../storage/server-context.ts'
import { toBoolean } from '../../storage/tables.ts'
import { IdParams } from '../request-params.ts'
import { patchSchedule } from './change-schedules.ts'
import { replanDeployments, schedulesTopic } from './replan.ts'
import { toScheduleResponse } from './response.ts'
import { assertUniqueSlugs, toScheduleRows, validateSchedules, withLocations } from './schedule-rows.ts'
import { type Deployment, deleteSchedule, insertSchedules, lockDeployment, readDeployment, readSchedules } from './store.ts'

const tag = 'Deployments'
const write = 'deployments:write'
const ByScheduleId = Type.Object({ id: Uuid, schedule_id: Uuid })

export function deploymentScheduleRoutes(context: ServerContext): Route[] {
  const { writeQueue, reads, clock } = context

  const locked = async (tx: Tx, id: string): Promise<Deployment> => {
    const row = await lockDeployment(tx, id)
    if (!row) throw notFound('Deployment')
    return row
  }

  return [
    route(
      {
        method: 'GET',
        path: '/deployments/:id/schedules',
        tag,
        summary: 'List the schedules of a deployment',
        scope: 'deployments:read',
        kind: 'query',
        params: IdParams,
        responses: { 200: Type.Array(DeploymentSchedule) },
      },
      async ({ params }) => {
        if (!(await readDeployment(reads, params.id))) throw notFound('Deployment')
        return (await readSchedules(reads, [params.id])).map(toScheduleResponse)
      },
    ),
    route(
      {
        method: 'POST',
        path: '/deployments/:id/schedules',
        tag,
        summary: 'Add schedules to a deployment',
        scope: write,
        kind: 'change',
        params: IdParams,
        body: DeploymentSchedulesCreateBody,
        validateBody: (body) => validateSchedules(context, withLocations(body, ['body'])),
        responses: { 201: Type.Array(DeploymentSchedule) },
      },
      async ({ params, body, actor }) => {
        const rows = await writeQueue.as(actor).submit(async (tx) => {
          const deployment = await locked(tx, params.id)
          const made = toScheduleRows(context, params.id, body, !toBoolean(deployment.paused))
          assertUniqueSlugs([...(await readSchedules(tx, [params.id])), ...made])
          await insertSchedules(tx, made)
          tx.notify(schedulesTopic)
          return made
        })
        return rows.map(toScheduleResponse)
      },
    ),
    route(
      {
        method: 'PATCH',
        path: '/deployments/:id/schedules/:schedule_id',
        tag,
        summary: 'Update a schedule of a deployment',
        scope: write,
        kind: 'change',
        params: ByScheduleId,
        body: DeploymentScheduleUpdate,
        validateBody: (body) => validateSchedules(context, [{ loc: ['body'], schedule: body }]),
        responses: { 204: null },
      },
      ({ params, body, actor }) =>
        writeQueue.as(actor).submit(async (tx) => {
          const live = !toBoolean((await locked(tx, params.id)).paused)
          const now = clock.now()
          if (!(await patchSchedule(tx, await readSchedules(tx, [params.id]), params.schedule_id, body, now, live))) throw notFound('Schedule')
          await deletePlannedRuns(tx, params.id, now)
          await replanDeployments(tx, [params.id], now, live)
        }),
    ),
    route(
      {
        method: 'DELETE',
        path: '/deployments/:id/schedules/:schedule_id',
        tag,
        summary: 'Delete a schedule of a deployment and its planned runs',
        scope: write,
        kind: 'change',
        params: ByScheduleId,
        responses: { 204: null },
      },
      ({ params, actor }) =>
        writeQueue.as(actor).submit(async (tx) => {
          const live = !toBoolean((await locked(tx, params.id)).paused)
          if ((await deleteSchedule(tx, params.id, params.schedule_id)) === 0) throw notFound('Schedule')
          await deletePlannedRuns(tx, params.id)
          await replanDeployments(tx, [params.id], clock.now(), live)
        }),
    ),
  ]
}
