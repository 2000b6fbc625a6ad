import Type, { type Static } from 'typebox'
import { defaulted, orNull, parameters, response, Time } from './primitives.ts'
import { Schedule } from './schedule.ts'

/** Without `after`, from now on. */
export const SchedulePreviewBody = parameters({
  schedule: Schedule,
  count: defaulted(Type.Integer({ minimum: 1, maximum: 100 }), 10),
  after: orNull(Time),
})

/** Fewer than were asked for where the schedule comes to an end. */
export const SchedulePreview = response('SchedulePreview', { next: Type.Array(Time) })
export type SchedulePreview = Static<typeof SchedulePreview>
