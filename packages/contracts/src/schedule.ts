import Type, { type Static, type TSchema } from 'typebox'
import {
  defaulted,
  duration,
  entityFields,
  FreeObject,
  model,
  Name,
  nullable,
  orNull,
  parameters,
  response,
  Text,
  Time,
  TimeAsSent,
  Uuid,
} from './primitives.ts'

/** An IANA name, validated by the server. */
const TimeZone = Text

/** The default null is not published, because its meaning depends on the schedule. */
const unpublishedNull = <T extends TSchema>(schema: T) => Object.assign(orNull(schema), { 'x-default': undefined })

/** The default anchor is the time of the request. A sent one is returned as it was: clients compare the texts. */
export const IntervalSchedule = model('IntervalSchedule', {
  interval: duration({ exclusiveMinimum: 0 }),
  anchor_date: Type.Optional(TimeAsSent),
  timezone: unpublishedNull(TimeZone),
})
export type IntervalSchedule = Static<typeof IntervalSchedule>

/** `day_or`: if both a day of the month and a weekday are given, either matches. */
export const CronSchedule = model('CronSchedule', { cron: Text, timezone: unpublishedNull(TimeZone), day_or: defaulted(Type.Boolean(), true) })
export type CronSchedule = Static<typeof CronSchedule>

export const RRuleSchedule = model('RRuleSchedule', {
  rrule: Type.String({ maxLength: 6500, 'x-text': true }),
  timezone: defaulted(nullable(TimeZone), 'UTC'),
})
export type RRuleSchedule = Static<typeof RRuleSchedule>

export const Schedule = Type.Union([IntervalSchedule, CronSchedule, RRuleSchedule])
export type Schedule = Static<typeof Schedule>

const MaxScheduledRuns = Type.Integer({ exclusiveMinimum: 0 })

export const DeploymentSchedule = response('DeploymentSchedule', {
  ...entityFields,
  deployment_id: nullable(Uuid),
  schedule: Schedule,
  active: Type.Boolean(),
  max_scheduled_runs: nullable(MaxScheduledRuns),
  parameters: FreeObject,
  slug: nullable(Text),
})
export type DeploymentSchedule = Static<typeof DeploymentSchedule>

/** Keys of clients before 3.1. */
const ignoredKeys = ['max_active_runs', 'catchup']

/** `replaces` is the slug of the schedule that this one replaces, which allows renaming a slug. */
export const DeploymentScheduleCreate = model(
  'DeploymentScheduleCreate',
  {
    active: defaulted(Type.Boolean(), true),
    schedule: Schedule,
    max_scheduled_runs: orNull(MaxScheduledRuns),
    parameters: defaulted(FreeObject, {}),
    slug: orNull(Name),
    replaces: orNull(Text),
  },
  ignoredKeys,
)
export type DeploymentScheduleCreate = Static<typeof DeploymentScheduleCreate>

/** Omitted parameters are cleared; other omitted fields keep their values. */
export const DeploymentScheduleUpdate = model(
  'DeploymentScheduleUpdate',
  {
    active: Type.Optional(nullable(Type.Boolean())),
    schedule: Type.Optional(nullable(Schedule)),
    max_scheduled_runs: Type.Optional(nullable(MaxScheduledRuns)),
    parameters: defaulted(FreeObject, {}),
    slug: Type.Optional(nullable(Name)),
    replaces: Type.Optional(nullable(Text)),
  },
  ignoredKeys,
)
export type DeploymentScheduleUpdate = Static<typeof DeploymentScheduleUpdate>

/** The body is the list itself. */
export const DeploymentSchedulesCreateBody = Type.Array(DeploymentScheduleCreate)
export type DeploymentSchedulesCreateBody = Static<typeof DeploymentSchedulesCreateBody>

/** The default of `after` is now. */
export const SchedulePreviewBody = parameters({
  schedule: Schedule,
  count: defaulted(Type.Integer({ minimum: 1, maximum: 100 }), 10),
  after: orNull(Time),
})
export type SchedulePreviewBody = Static<typeof SchedulePreviewBody>

/** Fewer than requested if the schedule ends. */
export const SchedulePreview = response('SchedulePreview', { next: Type.Array(Time) })
export type SchedulePreview = Static<typeof SchedulePreview>
