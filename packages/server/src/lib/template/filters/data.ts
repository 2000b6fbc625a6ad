import { parseTime } from '../../time.ts'
import { bind, text, wholeNumber } from '../arguments.ts'
import { TemplateError } from '../errors.ts'
import { jsonOf } from '../json-of.ts'
import { naturalDelta, naturalTime } from '../natural-time.ts'
import { strftime } from '../strftime.ts'
import { sourceOf, timeText } from '../text-of.ts'
import { type Filter, isNumber, Span, Time, typeName, type Value } from '../values.ts'

const marks: Readonly<Record<string, string>> = { '<': '\\u003c', '>': '\\u003e', '&': '\\u0026', "'": '\\u0027' }

/** JSON that may also stand in a page: what HTML would take for its own is spelled out. */
const tojson: Filter = (run, value, args) => {
  const { indent } = bind('tojson', args, 'indent')
  const written = jsonOf(value, { sorted: true, ...(indent == null ? {} : { indent: Math.min(wholeNumber(indent, 0), 20) }) }, run.budget)
  run.budget.text(written.length)
  return written.replace(/[<>&']/g, (mark) => marks[mark] as string)
}

/** Also of a time that is a text, as payloads have it. */
function micros(value: Value): number {
  if (value instanceof Time) return value.micros
  const known = typeof value === 'string' ? parseTime(value) : isNumber(value) ? Number(value) * 1_000_000 : undefined
  if (known === undefined || !Number.isFinite(known)) throw new TemplateError(`Expected a time, got ${typeName(value)}`)
  return Math.round(known)
}

function spanMicros(value: Value): number {
  if (value instanceof Span) return value.micros
  if (isNumber(value)) return Number(value) * 1_000_000
  throw new TemplateError(`Expected a length of time, got ${typeName(value)}`)
}

const formatTime: Filter = (run, value, args) => {
  const format = text(bind('strftime', args, 'format').format, '%Y-%m-%d %H:%M:%S')
  run.budget.text(format.length * 8)
  return strftime(micros(value), format)
}

export const dataFilters: Readonly<Record<string, Filter>> = {
  tojson,
  pprint: (run, value) => sourceOf(value, run.budget),
  strftime: formatTime,
  humanize_naturaltime: (run, value) => naturalTime(value instanceof Span ? run.now() - value.micros : micros(value), run.now()),
  humanize_naturaldelta: (_run, value) => naturalDelta(spanMicros(value)),
  humanize_naturaldate: (_run, value) => strftime(micros(value), '%b %d'),
  humanize_precisedelta: (_run, value) => naturalDelta(spanMicros(value)),
  isoformat: (_run, value) => timeText(new Time(micros(value))).replace(' ', 'T'),
}
