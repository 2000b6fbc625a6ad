import { parseTime } from '../../time.ts'
import { bindArguments, expectText } from '../arguments.ts'
import { TemplateError } from '../errors.ts'
import { naturalDate, naturalDay, naturalDelta, naturalTime, preciseDelta } from '../natural-time.ts'
import { strftime } from '../strftime.ts'
import { timeText } from '../to-text.ts'
import { type Filter, isNumber, Time, TimeSpan, typeName, type Value } from '../values.ts'

/** Accepts times as text too, as in payloads. */
function micros(value: Value): number {
  if (value instanceof Time) return value.micros
  const known = typeof value === 'string' ? parseTime(value) : isNumber(value) ? Number(value) * 1_000_000 : undefined
  if (known === undefined || !Number.isFinite(known)) throw new TemplateError(`Expected a time, got ${typeName(value)}`)
  return Math.round(known)
}

function spanMicros(value: Value): number {
  if (value instanceof TimeSpan) return value.micros
  if (isNumber(value)) return Number(value) * 1_000_000
  throw new TemplateError(`Expected a duration, got ${typeName(value)}`)
}

const formatTime: Filter = (run, value, args) => {
  const format = expectText(bindArguments('strftime', args, 'format').format, '%Y-%m-%d %H:%M:%S')
  run.budget.spendOnText(format.length * 8)
  return strftime(micros(value), format)
}

export const timeFilters: Readonly<Record<string, Filter>> = {
  strftime: formatTime,
  isoformat: (_run, value) => timeText(new Time(micros(value))).replace(' ', 'T'),
  humanize_naturaltime: (run, value) => naturalTime(value instanceof TimeSpan ? run.now() - value.micros : micros(value), run.now()),
  humanize_naturaldelta: (_run, value) => naturalDelta(spanMicros(value)),
  humanize_precisedelta: (_run, value) => preciseDelta(spanMicros(value)),
  humanize_naturalday: (run, value) => naturalDay(micros(value), run.now()),
  humanize_naturaldate: (run, value) => naturalDate(micros(value), run.now()),
}
