import { mergeJsonObjects } from '../../lib/json.ts'
import type { Schedule } from '../../lib/schedule/schedule.ts'
import { upcomingTimes } from '../../lib/schedule/schedule.ts'
import { getZone, type Zone } from '../../lib/schedule/zone.ts'
import { formatTime, MICROS_PER_SECOND, type Micros, sortableTime } from '../../lib/time.ts'
import type { FlowRunDraft } from '../../runs/command.ts'
import { withDefaultPolicy } from '../flow-runs/draft.ts'
import type { DeploymentRow, ScheduleRow } from './store.ts'

/** The columns of a deployment that planned runs copy. */
export type PlannedDeployment = Pick<
  DeploymentRow,
  'id' | 'flow_id' | 'version' | 'parameters' | 'tags' | 'work_queue_id' | 'work_queue_name' | 'infrastructure_document_id'
>

type ScheduleSource = Pick<ScheduleRow, 'id' | 'slug' | 'parameters'>

const tag = 'auto-scheduled'

/** Drafts of a schedule's runs, one for each time. Idempotency keys prevent duplicate runs for one time. */
export function toPlannedDrafts(deployment: PlannedDeployment, row: ScheduleSource, schedule: Schedule, times: readonly Micros[]): FlowRunDraft[] {
  if (times.length === 0) return []
  const parameters = mergeJsonObjects(deployment.parameters, row.parameters)
  const tags = JSON.stringify([tag, ...(JSON.parse(deployment.tags) as string[])])
  const zone = getZone(schedule.timezone || 'UTC')
  const created_by = { id: row.id, type: 'SCHEDULE', display_value: row.slug || scheduleKind(schedule) }
  return times.map((time) => ({
    flow_id: deployment.flow_id,
    deployment_id: deployment.id,
    deployment_version: deployment.version,
    state: { type: 'SCHEDULED', message: 'Flow run scheduled', state_details: { scheduled_time: sortableTime(time) } },
    parameters,
    context: '{}',
    empirical_policy: withDefaultPolicy({}),
    tags,
    infrastructure_document_id: deployment.infrastructure_document_id,
    idempotency_key: `scheduled ${deployment.id} ${row.id} ${formatKeyTime(time, zone)}`,
    work_queue_id: deployment.work_queue_id,
    work_queue_name: deployment.work_queue_name,
    auto_scheduled: true,
    created_by,
    planned: true,
  }))
}

const scheduleKind = (schedule: Schedule): string =>
  'interval' in schedule ? 'IntervalSchedule' : 'cron' in schedule ? 'CronSchedule' : 'RRuleSchedule'

/** `2031-02-01 09:30:00+00:00`: local time of the schedule's zone, the format of the v3 API, so that runs of an adopted database keep their keys. */
function formatKeyTime(time: Micros, zone: Zone): string {
  const offset = zone.offsetAt(Math.floor(time / MICROS_PER_SECOND))
  const local = formatTime(time + offset * MICROS_PER_SECOND)
  return `${local.replace('T', ' ').replace('Z', '')}${formatOffset(offset)}`
}

const formatOffset = (offset: number): string => `${offset < 0 ? '-' : '+'}${formatTime(Math.abs(offset) * MICROS_PER_SECOND).slice(11, 16)}`

/** How far ahead runs are created. */
export interface Horizon {
  readonly start: Micros
  /** The latest scheduled time. */
  readonly end: Micros
  /** Runs are created up to this time after the start, at least `runsMin` and at most `runsMax`. */
  readonly timeMin: Micros
  readonly runsMin: number
  readonly runsMax: number
}

/** The times of a schedule that need runs. The first time is always included, even if `runsMax` is 0. */
export function listPlannedTimes(schedule: Schedule, { start, end, timeMin, runsMin, runsMax }: Horizon): Micros[] {
  const max = Math.max(1, runsMax)
  const within = upcomingTimes(schedule, { after: start, until: Math.min(end, start + timeMin - 1), limit: max })
  const more = Math.min(max - within.length, Math.max(1, runsMin - within.length))
  return more <= 0 ? within : [...within, ...upcomingTimes(schedule, { after: start + timeMin, until: end, limit: more })]
}
