import { initialPlan } from '../../domains/deployments/replan.ts'
import { checkSchedule } from '../../lib/schedule/check-schedule.ts'
import type { Schedule } from '../../lib/schedule/schedule.ts'
import { baseColumns, bool, int, json, text, time, uuid } from '../columns.ts'
import { readPlannedUntil } from '../planned-until.ts'
import type { Step } from '../step.ts'

const deployments: Step = {
  name: 'deployment',
  noun: 'deployments',
  from: 'deployment',
  to: 'deployment',
  requiredReferences: { flow_id: 'flow' },
  // Deployment versions exist only in Prefect Cloud; the other columns are leftovers of version 2.
  ignoredColumns: ['version_id', 'schedule', 'is_schedule_active', 'flow_data', 'manifest_path'],
  optionalReferences: { work_queue_id: 'work_queue', concurrency_limit_id: 'concurrency_limit_v2' },
  columns: {
    ...baseColumns,
    flow_id: uuid(),
    name: text(),
    version: text(),
    description: text(),
    paused: bool(false),
    status: text('NOT_READY'),
    last_polled: time(),
    concurrency_limit_id: uuid(),
    old_limit: int(undefined, 'concurrency_limit'),
    concurrency_options: json(),
    parameters: json('{}'),
    parameter_openapi_schema: json(),
    enforce_parameter_schema: bool(false),
    job_variables: json('{}', 'infra_overrides'),
    tags: json('[]'),
    labels: json('{}'),
    path: text(),
    entrypoint: text(),
    pull_steps: json(),
    work_queue_id: uuid(),
    work_queue_name: text(),
    storage_document_id: uuid(),
    infrastructure_document_id: uuid(),
    created_by: json(),
    updated_by: json(),
  },
  async write({ context, startedAt }, tx, rows) {
    // The first versions 3.x stored a number instead of a limit id.
    const newLimits = rows
      .filter(({ old_limit, concurrency_limit_id }) => concurrency_limit_id === null && old_limit !== null)
      .map(({ id, old_limit }) => ({ id: context.newId(), deployment: id as string, slots: Number(old_limit) }))
    await tx.insert(
      'concurrency_limit',
      newLimits.map(({ id, deployment, slots }) => ({
        id,
        created: startedAt,
        updated: startedAt,
        name: `deployment:${deployment}`,
        active: true,
        slots,
        slot_decay_per_second: 0,
        avg_slot_occupancy_seconds: 2,
        decaying_slots: 0,
        denied_slots: 0,
        settled: startedAt,
      })),
    )
    const limits = new Map(newLimits.map(({ id, deployment }) => [deployment, id]))
    await tx.insert(
      'deployment',
      rows.map(({ old_limit, ...row }) => ({
        ...row,
        version_info: null,
        concurrency_limit_id: limits.get(row.id as string) ?? (row.concurrency_limit_id as string | null),
      })),
    )
  },
}

const schedules: Step = {
  name: 'deployment_schedule',
  noun: 'schedules',
  from: 'deployment_schedule',
  to: 'deployment_schedule',
  requiredReferences: { deployment_id: 'deployment' },
  joins: 'join deployment owner on owner.id = deployment_schedule.deployment_id',
  // Never used by any server.
  ignoredColumns: ['max_active_runs', 'catchup'],
  columns: {
    ...baseColumns,
    deployment_id: uuid(),
    schedule: json(),
    active: bool(true),
    max_scheduled_runs: int(),
    parameters: json('{}'),
    slug: text(),
    owner_paused: bool(false, 'owner.paused'),
  },
  async write(adoption, tx, rows) {
    const planned = await readPlannedUntil(adoption.source, adoption.startedAt)
    const schedules = rows.map(({ owner_paused, ...row }) => {
      const schedule = JSON.parse(String(row.schedule)) as Schedule
      const error = checkSchedule(schedule)
      if (error) adoption.addNote(`Disabled schedule ${row.id} of deployment ${row.deployment_id}: ${error}`)
      const active = Boolean(row.active) && !error
      const plan = initialPlan(adoption.startedAt, active && !owner_paused)
      const until = error ? undefined : planned(String(row.deployment_id), String(row.id), schedule)
      return { ...row, active, ...plan, planned_until: Math.max(plan.planned_until, until ?? 0) }
    })
    await tx.insert('deployment_schedule', schedules)
  },
}

export const deploymentSteps: readonly Step[] = [deployments, schedules]
