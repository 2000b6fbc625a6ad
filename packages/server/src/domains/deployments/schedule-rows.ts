import type { DeploymentScheduleCreate, DeploymentScheduleUpdate } from '@millrace/contracts/schedule.ts'
import { conflict, type Fault, InvalidRequest } from '../../errors.ts'
import { jsonText } from '../../lib/json.ts'
import { checkSchedule, completeSchedule } from '../../lib/schedule/check-schedule.ts'
import type { Micros } from '../../lib/time.ts'
import type { ServerContext } from '../../storage/server-context.ts'
import { initialPlan } from './replan.ts'
import type { ScheduleRow } from './store.ts'

type SentSchedule = DeploymentScheduleCreate | DeploymentScheduleUpdate
type ErrorLocation = readonly (string | number)[]

/** Rejects invalid schedules and schedules with too many planned runs. */
export function validateSchedules(
  context: ServerContext,
  sent: readonly { readonly loc: ErrorLocation; readonly schedule: SentSchedule | undefined }[],
): void {
  const faults = sent.flatMap(({ loc, schedule }) => scheduleFaults(schedule ?? {}, loc, context.config.deployments.maximum_scheduled_runs))
  if (faults.length > 0) throw new InvalidRequest(faults)
}

/** Adds the location of each schedule for error messages. */
export const withLocations = <S extends SentSchedule>(schedules: readonly S[], loc: ErrorLocation): { loc: ErrorLocation; schedule: S }[] =>
  schedules.map((schedule, index) => ({ loc: [...loc, index], schedule }))

function scheduleFaults({ schedule, max_scheduled_runs: runs }: SentSchedule, loc: ErrorLocation, runsMax: number): Fault[] {
  const faults: Fault[] = []
  const problem = schedule ? checkSchedule(schedule) : undefined
  if (problem) faults.push({ loc: [...loc, 'schedule'], type: 'value_error', msg: problem, input: schedule, ctx: { error: problem } })
  if (runs != null && runs > runsMax) {
    const msg = `"max_scheduled_runs" must be at most ${runsMax}`
    faults.push({ loc: [...loc, 'max_scheduled_runs'], type: 'value_error', msg, input: runs, ctx: { error: msg } })
  }
  return faults
}

/** Rows for new schedules. Each gets a later timestamp than the one before, which preserves their order. */
export function toScheduleRows(
  { clock, newId }: ServerContext,
  deploymentId: string,
  schedules: readonly DeploymentScheduleCreate[],
  isActive: boolean,
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
      ...initialPlan(now, isActive && active),
    }
  })
}

/** Merges an update. Omitted parameters become empty, as clients of the v3 API expect. Null means unchanged, also within a schedule. */
export function mergeSchedule(row: ScheduleRow, update: DeploymentScheduleUpdate, now: Micros, isActive: boolean): ScheduleRow {
  const active = update.active ?? row.active
  return {
    ...row,
    updated: now,
    active,
    schedule: update.schedule ? scheduleText({ ...update.schedule, timezone: update.schedule.timezone ?? undefined }, now) : row.schedule,
    max_scheduled_runs: update.max_scheduled_runs ?? row.max_scheduled_runs,
    parameters: jsonText(update.parameters ?? {}),
    slug: update.slug ?? row.slug,
    ...initialPlan(now, isActive && Boolean(active)),
  }
}

const scheduleText = (schedule: DeploymentScheduleCreate['schedule'], now: Micros): string => JSON.stringify(completeSchedule(schedule, now))

export function assertUniqueSlugs(rows: readonly Pick<ScheduleRow, 'slug'>[]): void {
  const slugs = rows.flatMap(({ slug }) => (slug === null ? [] : [slug]))
  const duplicate = slugs.find((slug, index) => slugs.indexOf(slug) !== index)
  if (duplicate !== undefined) throw conflict(`Two schedules of the deployment have the slug "${duplicate}".`)
}
