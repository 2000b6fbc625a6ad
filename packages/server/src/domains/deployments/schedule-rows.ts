import type { DeploymentScheduleCreate, DeploymentScheduleUpdate } from '@millrace/contracts/schedule.ts'
import { conflict, type Fault, InvalidRequest } from '../../errors.ts'
import { jsonText } from '../../lib/json.ts'
import { checkSchedule, completeSchedule } from '../../lib/schedule/check-schedule.ts'
import type { Micros } from '../../lib/time.ts'
import type { ServerContext } from '../../storage/server-context.ts'
import { initialPlan } from './replan.ts'
import type { ScheduleRow } from './schedules.ts'

type SentSchedule = DeploymentScheduleCreate | DeploymentScheduleUpdate
type ErrorLocation = readonly (string | number)[]

/** Refuses schedules that cannot be read, or that ask for more runs than the server plans ahead. */
export function validateSchedules(
  context: ServerContext,
  sent: readonly { readonly loc: ErrorLocation; readonly schedule: SentSchedule | undefined }[],
): void {
  const faults = sent.flatMap(({ loc, schedule }) => scheduleFaults(schedule ?? {}, loc, context.config.deployments.maximum_scheduled_runs))
  if (faults.length > 0) throw new InvalidRequest(faults)
}

/** The places of schedules within a list. */
export const withLocations = <S extends SentSchedule>(schedules: readonly S[], loc: ErrorLocation): { loc: ErrorLocation; schedule: S }[] =>
  schedules.map((schedule, index) => ({ loc: [...loc, index], schedule }))

function scheduleFaults({ schedule, max_scheduled_runs: runs }: SentSchedule, loc: ErrorLocation, runsMax: number): Fault[] {
  const faults: Fault[] = []
  const wrong = schedule ? checkSchedule(schedule) : undefined
  if (wrong) faults.push({ loc: [...loc, 'schedule'], type: 'value_error', msg: wrong, input: schedule, ctx: { error: wrong } })
  if (runs != null && runs > runsMax) {
    const msg = `At most ${runsMax} runs of a schedule are planned ahead`
    faults.push({ loc: [...loc, 'max_scheduled_runs'], type: 'value_error', msg, input: runs, ctx: { error: msg } })
  }
  return faults
}

/** New schedules of a deployment. Each is a moment younger than the one before it, so that their order stays known. */
export function toScheduleRows(
  { clock, newId }: ServerContext,
  deploymentId: string,
  schedules: readonly DeploymentScheduleCreate[],
  live: boolean,
): ScheduleRow[] {
  return schedules.map((schedule) => {
    const now = clock.now()
    const active = schedule.active ?? true
    return {
      id: newId(),
      created: now,
      updated: now,
      deployment_id: deploymentId,
      schedule: scheduleText(schedule.schedule, now),
      active,
      max_scheduled_runs: schedule.max_scheduled_runs ?? null,
      parameters: jsonText(schedule.parameters ?? {}),
      slug: schedule.slug ?? null,
      ...initialPlan(now, live && active),
    }
  })
}

/** What an update changes. Left-out parameters are emptied, as clients of the v3 API count on; null says nothing, not even within a schedule. */
export function mergeSchedule(row: ScheduleRow, update: DeploymentScheduleUpdate, now: Micros, live: boolean): ScheduleRow {
  const active = update.active ?? row.active
  return {
    ...row,
    updated: now,
    active,
    schedule: update.schedule ? scheduleText({ ...update.schedule, timezone: update.schedule.timezone ?? undefined }, now) : row.schedule,
    max_scheduled_runs: update.max_scheduled_runs ?? row.max_scheduled_runs,
    parameters: jsonText(update.parameters ?? {}),
    slug: update.slug ?? row.slug,
    ...initialPlan(now, live && Boolean(active)),
  }
}

const scheduleText = (schedule: DeploymentScheduleCreate['schedule'], now: Micros): string => JSON.stringify(completeSchedule(schedule, now))

/** Slugs tell the schedules of a deployment apart. */
export function assertUniqueSlugs(rows: readonly Pick<ScheduleRow, 'slug'>[]): void {
  const slugs = rows.flatMap(({ slug }) => (slug === null ? [] : [slug]))
  const twice = slugs.find((slug, index) => slugs.indexOf(slug) !== index)
  if (twice !== undefined) throw conflict(`The slug "${twice}" is used by two schedules of the deployment`)
}
