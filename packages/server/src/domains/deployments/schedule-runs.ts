import type { DeploymentScheduleBody } from '@millrace/contracts/deployment.ts'
import type { Received } from '@millrace/contracts/primitives.ts'
import type { Schedule } from '../../lib/schedule/schedule.ts'
import { addSeconds, MICROS_PER_SECOND, toMicros } from '../../lib/time.ts'
import { changeRunsIn } from '../../runs/batch.ts'
import type { Tx } from '../../storage/database.ts'
import type { ActingContext, ServerContext } from '../../storage/server-context.ts'
import { toBoolean } from '../../storage/tables.ts'
import { type Horizon, listPlannedTimes, toPlannedDrafts } from './planned-runs.ts'
import { lockDeployment, readSchedules } from './store.ts'

/** Creates the runs of a deployment's active schedules for a given period, even if it is paused. Ignores unknown deployments. */
export const scheduleRuns =
  (context: ActingContext, id: string, body: Received<typeof DeploymentScheduleBody>) =>
  async (tx: Tx): Promise<void> => {
    const deployment = await lockDeployment(tx, id)
    if (!deployment) return
    const horizon = toHorizon(context, body)
    const drafts = (await readSchedules(tx, [id]))
      .filter(({ active }) => toBoolean(active))
      .flatMap((row) => {
        const schedule = JSON.parse(row.schedule) as Schedule
        return toPlannedDrafts(deployment, row, schedule, listPlannedTimes(schedule, horizon))
      })
    await changeRunsIn(
      context,
      tx,
      drafts.map((draft) => ({ kind: 'create_flow_run' as const, actor: context.actor, draft })),
    )
  }

function toHorizon({ config, clock }: ServerContext, body: Received<typeof DeploymentScheduleBody>): Horizon {
  const settings = config.services.scheduler
  const start = body.start_time === null ? clock.now() : toMicros(body.start_time)
  return {
    start,
    end: body.end_time === null ? addSeconds(start, settings.max_scheduled_seconds) : toMicros(body.end_time),
    timeMin: (body.min_time ?? settings.min_scheduled_seconds) * MICROS_PER_SECOND,
    runsMin: body.min_runs ?? settings.min_runs,
    runsMax: body.max_runs ?? settings.max_runs,
  }
}
