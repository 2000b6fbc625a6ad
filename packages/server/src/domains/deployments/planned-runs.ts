import { mergeJsonObjects } from '../../lib/json.ts'
import type { Schedule } from '../../lib/schedule/schedule.ts'
import { getZone, type Zone } from '../../lib/schedule/zone.ts'
import { formatTime, MICROS_PER_SECOND, type Micros } from '../../lib/time.ts'
import type { FlowRunDraft } from '../flow-runs/create-run.ts'
import { withDefaultPolicy } from '../flow-runs/draft.ts'
import type { ScheduleRow } from './schedules.ts'
import type { DeploymentRow } from './store.ts'

/** What planned runs take from their deployment. */
export type PlannedDeployment = Pick<
  DeploymentRow,
  'id' | 'flow_id' | 'version' | 'parameters' | 'tags' | 'work_queue_id' | 'work_queue_name' | 'infrastructure_document_id'
>

type ScheduleSource = Pick<ScheduleRow, 'id' | 'slug' | 'parameters'>

const tag = 'auto-scheduled'

/** Runs of a schedule, one for each time. Their keys make it impossible that there are two for one instant. */
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
    state: { type: 'SCHEDULED', message: 'Flow run scheduled', state_details: { scheduled_time: formatTime(time) } },
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

/** `2031-02-01 09:30:00+00:00`: on the clock of the schedule's zone, as the v3 API has it, so that the runs of an adopted database are known again. */
function formatKeyTime(time: Micros, zone: Zone): string {
  const offset = zone.offsetAt(Math.floor(time / MICROS_PER_SECOND))
  const local = formatTime(time + offset * MICROS_PER_SECOND)
  return `${local.replace('T', ' ').replace('.000000', '').replace('Z', '')}${formatOffset(offset)}`
}

const formatOffset = (offset: number): string => `${offset < 0 ? '-' : '+'}${formatTime(Math.abs(offset) * MICROS_PER_SECOND).slice(11, 16)}`
