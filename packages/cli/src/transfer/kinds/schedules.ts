import type { DeploymentSchedule, DeploymentScheduleCreate } from '@millrace/contracts/schedule.ts'
import { checkSchedule, completeSchedule, type ScheduleInput } from '@millrace/server/lib/schedule/check-schedule.ts'
import { toRequest, withBlockNames } from '../block-references.ts'
import { flag, freeObject, integer, nullable, number, object, optional, required, type Spec, silentChecker, text, time } from '../field-spec.ts'
import { compareTexts, describeType, type Item, isEqual, isObject } from '../json-value.ts'
import type { ServerState } from '../server-state.ts'

const common = {
  slug: optional(nullable(text({ isEmptyAllowed: false })), null),
  active: optional(flag, true),
  max_scheduled_runs: optional(nullable(integer({ min: 1 })), null),
  parameters: optional(freeObject, {}),
}

const timezone = nullable(text())

/** The server replaces null. */
const intervalTimezone: Spec = (value, path, checker) => timezone(value, path, checker) ?? 'UTC'

/** An interval without an anchor keeps the anchor that the server gave it. */
const variants: Readonly<Record<string, Spec>> = {
  cron: object({ cron: required(text()), timezone: optional(timezone, null), day_or: optional(flag, true), ...common }),
  interval: object({ interval: required(number()), anchor_date: optional(time), timezone: optional(intervalTimezone, 'UTC'), ...common }),
  rrule: object({ rrule: required(text()), timezone: optional(timezone, 'UTC'), ...common }),
}

/** The fields of the schedule itself, which the API nests. */
const scheduleKeys = ['cron', 'day_or', 'interval', 'anchor_date', 'rrule', 'timezone']

const scheduleSpec: Spec = (value, path, checker) => {
  if (!isObject(value)) {
    checker.problem(path, `Must be a mapping, not ${describeType(value)}.`)
    return value
  }
  const [variant, ...others] = Object.keys(variants).filter((key) => Object.hasOwn(value, key))
  if (variant === undefined || others.length > 0) {
    checker.problem(path, 'A schedule needs exactly one of the keys cron, interval and rrule.')
    return value
  }
  const check = variants[variant] as Spec
  if (checker === silentChecker) return check(value, path, checker)
  let isValid = true
  const problem: typeof checker.problem = (at, message) => {
    isValid = false
    checker.problem(at, message)
  }
  const item = check(value, path, { ...checker, problem }) as Item
  if (!isValid) return item
  const fault = checkSchedule(toSchedule(item))
  if (fault) checker.problem([...path, variant], fault)
  // The server adds a start to a rule without one.
  return fault || variant !== 'rrule' ? item : { ...item, rrule: (completeSchedule(toSchedule(item), 0) as { rrule: string }).rrule }
}

/** The server keeps no order of schedules, so files have one. */
export const schedulesSpec: Spec = (value, path, checker) => {
  if (!Array.isArray(value)) {
    checker.problem(path, `Must be a list, not ${describeType(value)}.`)
    return value
  }
  const items = value.map((item, index) => scheduleSpec(item, [...path, index], checker) as Item)
  const slugs = items.map(({ slug }) => slug)
  for (const [index, slug] of slugs.entries())
    if (slug !== undefined && slugs.indexOf(slug) !== index) checker.problem([...path, index, 'slug'], `Another schedule has the slug "${slug}".`)
  return sortSchedules(items)
}

const sortSchedules = (items: readonly Item[]): Item[] => [...items].sort((a, b) => compareTexts(sortText(a), sortText(b)))

const sortText = (item: Item): string => [item.slug ?? '', item.cron ?? '', item.rrule ?? '', JSON.stringify(item)].join('\n')

function toSchedule(item: Item): ScheduleInput {
  const given = Object.fromEntries(scheduleKeys.flatMap((key) => (item[key] === undefined ? [] : [[key, item[key]]])))
  return given as unknown as ScheduleInput
}

/** A schedule in the shape of the file, which nests nothing. */
export const toScheduleItem = (server: ServerState, { schedule, slug, active, max_scheduled_runs, parameters }: DeploymentSchedule): Item => ({
  ...schedule,
  slug,
  active,
  max_scheduled_runs,
  parameters: withBlockNames(server, parameters),
})

export function toScheduleBody(server: ServerState, item: Item): DeploymentScheduleCreate {
  const others = Object.fromEntries(Object.entries(item).filter(([key]) => !scheduleKeys.includes(key)))
  return { ...toRequest(server, others), schedule: toSchedule(item) } as DeploymentScheduleCreate
}

/** Gives intervals without an anchor the anchor of an equal schedule of the server. */
export function withAnchors(schedules: unknown, present: unknown): unknown {
  if (!Array.isArray(schedules) || !Array.isArray(present)) return schedules
  const unused = [...(present as Item[])]
  const anchored = (schedules as Item[]).map((item) => {
    if (item.interval === undefined || item.anchor_date !== undefined) return item
    const index = unused.findIndex(({ anchor_date: _anchor, ...others }) => isEqual(others, item))
    return index < 0 ? item : (unused.splice(index, 1)[0] as Item)
  })
  return sortSchedules(anchored)
}
