import type { Schedule } from '../../lib/schedule/schedule.ts'
import { upcomingTimes } from '../../lib/schedule/schedule.ts'
import { addSeconds, MICROS_PER_SECOND, type Micros } from '../../lib/time.ts'
import { changeRunsIn } from '../../runs/batch.ts'
import type { FlowRunDraft } from '../../runs/command.ts'
import { type Db, statement, type Tx } from '../../storage/database.ts'
import type { ActingContext, ServerContext } from '../../storage/server-context.ts'
import { listPlannedTimes, type PlannedDeployment, toPlannedDrafts } from './planned-runs.ts'
import type { ScheduleRow } from './store.ts'

const dueDeployments = statement('select deployment_id from deployment_schedule where due <= $1 order by due limit $2')
const plannedAhead = statement('select deployment_id from deployment_schedule where planned_at > $1 order by planned_at limit $2')
/** Skips locked deployments: another replica plans them, or an update will wake the scheduler. */
const lockDue = statement(
  (dialect) => `select id, flow_id, version, parameters, tags, work_queue_id, work_queue_name, infrastructure_document_id
    from deployment where ${dialect.inList('id', '$1', 'uuid')} and not paused order by id ${dialect.skipLocked}`,
)
const dueSchedules = statement(
  (dialect) => `select * from deployment_schedule where ${dialect.inList('deployment_id', '$1', 'uuid')} and (due <= $2 or planned_at > $3)
    order by deployment_id, id`,
)

/** Ordinary clock corrections are smaller. A larger step back means that plans were made by a wrong clock. */
const clockStepSeconds = 10
const clockStepLimit = (now: Micros): Micros => addSeconds(now, clockStepSeconds)

/** Deployments with schedules to plan: longest due first, then those planned by a wrong clock. */
export async function listDeploymentsToPlan(db: Db, now: Micros, max: number): Promise<string[]> {
  const due = await db.all<{ deployment_id: string }>(dueDeployments, [now, max])
  const ahead = await db.all<{ deployment_id: string }>(plannedAhead, [clockStepLimit(now), max])
  return [...new Set([...due, ...ahead].map(({ deployment_id }) => deployment_id))]
}

export interface PlanResult {
  /** How many deployments were examined. The others wait for the next transaction once a batch is full. */
  readonly examined: number
  readonly created: number
}

/** Creates the planned runs of the deployments. */
export const planRuns =
  (context: ActingContext, ids: readonly string[]) =>
  async (tx: Tx): Promise<PlanResult> => {
    const { clock, config } = context
    const now = clock.now()
    const deployments = new Map((await tx.all<PlannedDeployment>(lockDue, [tx.dialect.list(ids)])).map((row) => [row.id, row]))
    const schedules = Map.groupBy(
      await tx.all<ScheduleRow>(dueSchedules, [tx.dialect.list([...deployments.keys()]), now, clockStepLimit(now)]),
      (row) => row.deployment_id,
    )
    const drafts: FlowRunDraft[] = []
    const plans: Partial<ScheduleRow>[] = []
    let examined = 0
    for (const id of ids) {
      if (drafts.length >= config.services.scheduler.insert_batch_size) break
      examined += 1
      const deployment = deployments.get(id)
      for (const row of (deployment && schedules.get(id)) ?? []) {
        const schedule = JSON.parse(row.schedule) as Schedule
        const { times, ...plan } = planSchedule(schedule, row, now, config.services.scheduler)
        plans.push({ id: row.id, ...plan })
        drafts.push(...toPlannedDrafts(deployment as PlannedDeployment, row, schedule, times))
      }
    }
    const results = await changeRunsIn(
      context,
      tx,
      drafts.map((draft) => ({ kind: 'create_flow_run' as const, actor: context.actor, draft })),
    )
    await tx.update('deployment_schedule', plans)
    return { examined, created: results.filter((result) => !(result instanceof Error) && result.isNew).length }
  }

type Settings = ServerContext['config']['services']['scheduler']

interface Plan {
  /** Times that need runs and have none yet. */
  readonly times: readonly Micros[]
  readonly planned_until: Micros
  readonly due: Micros | null
  readonly planned_at: Micros
}

type SchedulePlanRow = Pick<ScheduleRow, 'planned_until' | 'planned_at' | 'max_scheduled_runs'>

/** The times to plan now, and when to examine the schedule again. */
export function planSchedule(schedule: Schedule, row: SchedulePlanRow, now: Micros, settings: Settings): Plan {
  // A clock that was ahead skipped future times. Idempotency keys prevent duplicates of the runs that it did create.
  const plannedUntil = (row.planned_at ?? 0) > clockStepLimit(now) ? now : row.planned_until
  const timeMin = settings.min_scheduled_seconds * MICROS_PER_SECOND
  const end = addSeconds(now, settings.max_scheduled_seconds)
  const runsMax = Math.min(settings.max_runs, row.max_scheduled_runs ?? settings.max_runs)
  const runsMin = Math.min(settings.min_runs, runsMax)
  const ahead = listPlannedTimes(schedule, { start: now, end, timeMin, runsMin, runsMax })
  const last = ahead.at(-1)
  return {
    times: [...missedTimes(schedule, plannedUntil, now, runsMax, settings), ...ahead].filter((time) => time > plannedUntil),
    planned_until: Math.max(plannedUntil, last ?? now),
    due: nextExamination(),
    planned_at: now,
  }

  function nextExamination(): Micros | null {
    // The next run can be created as soon as the first one starts.
    if (ahead.length >= Math.max(1, runsMax)) return (ahead[0] as Micros) + 1
    if (last !== undefined && ahead.length >= runsMin && last >= now + timeMin) {
      return Math.min(ahead[ahead.length - runsMin] ?? last, last - timeMin) + 1
    }
    const [beyond] = upcomingTimes(schedule, { after: end + 1, limit: 1 })
    return beyond === undefined ? null : addSeconds(beyond, -settings.max_scheduled_seconds)
  }
}

/** Times between two passes. Times of a longer outage are skipped, so that the server does not start a day's runs at once. */
function missedTimes(schedule: Schedule, plannedUntil: Micros, now: Micros, limit: number, settings: Settings): Micros[] {
  if (plannedUntil >= now) return []
  const after = Math.max(plannedUntil + 1, addSeconds(now, -settings.every_seconds))
  return upcomingTimes(schedule, { after, until: now - 1, limit })
}
