import { formatTime, MICROS_PER_DAY } from '../../time.ts'
import { bindArguments, expectText } from '../arguments.ts'
import { type CalendarParts, calendarParts } from '../calendar.ts'
import { naturalTime } from '../natural-time.ts'
import { strftime } from '../strftime.ts'
import { isoText } from '../to-text.ts'
import { formatTokens } from '../token-format.ts'
import { boundMethod, TemplateObject, type Time, type TimeSpan, type Value } from '../values.ts'

const part = (read: (at: CalendarParts) => number) => (self: Time) => BigInt(read(calendarParts(self.micros)))

/** A date or a time of day: its text and its fields. */
function half(kind: 'date' | 'time', self: Time): TemplateObject {
  const [date = '', clock = ''] = isoText(self.micros, ' ').replace('+00:00', '').split(' ')
  const written = kind === 'date' ? date : clock
  const names =
    kind === 'date' ? ['year', 'month', 'day', 'weekday', 'isoweekday', 'strftime'] : ['hour', 'minute', 'second', 'microsecond', 'strftime']
  const attributes = new Map(names.map((name) => [name, (timeAttributes.get(name) as (self: Time) => Value)(self)]))
  attributes.set('isoformat', boundMethod<string>('isoformat', (text) => text)(written))
  return new TemplateObject(kind, attributes, { text: written })
}

export const timeAttributes: ReadonlyMap<string, (self: Time) => Value> = new Map<string, (self: Time) => Value>([
  ['year', part((at) => at.year)],
  ['month', part((at) => at.month)],
  ['day', part((at) => at.day)],
  ['hour', part((at) => at.hour)],
  ['minute', part((at) => at.minute)],
  ['second', part((at) => at.second)],
  ['microsecond', part((at) => at.micros)],
  ['day_of_year', part((at) => at.dayOfYear)],
  ['weekday', boundMethod<Time>('weekday', (self) => BigInt(calendarParts(self.micros).weekday))],
  ['isoweekday', boundMethod<Time>('isoweekday', (self) => BigInt(calendarParts(self.micros).weekday + 1))],
  ['timestamp', boundMethod<Time>('timestamp', (self) => self.micros / 1_000_000)],
  ['int_timestamp', (self) => BigInt(Math.floor(self.micros / 1_000_000))],
  ['date', boundMethod<Time>('date', (self) => half('date', self))],
  ['time', boundMethod<Time>('time', (self) => half('time', self))],
  [
    'format',
    boundMethod<Time>('format', (self, args, run) => {
      const format = expectText(bindArguments('format', args, 'fmt').fmt)
      run.budget.spendOnText(format.length * 8)
      return formatTokens(self.micros, format)
    }),
  ],
  ['isoformat', boundMethod<Time>('isoformat', (self, args) => isoText(self.micros, expectText(bindArguments('isoformat', args, 'sep').sep, 'T')))],
  ['to_iso8601_string', boundMethod<Time>('to_iso8601_string', (self) => formatTime(self.micros))],
  ['to_datetime_string', boundMethod<Time>('to_datetime_string', (self) => strftime(self.micros, '%Y-%m-%d %H:%M:%S'))],
  ['to_date_string', boundMethod<Time>('to_date_string', (self) => strftime(self.micros, '%Y-%m-%d'))],
  ['to_time_string', boundMethod<Time>('to_time_string', (self) => strftime(self.micros, '%H:%M:%S'))],
  ['diff_for_humans', boundMethod<Time>('diff_for_humans', (self, _args, run) => naturalTime(self.micros, run.now()))],
  [
    'strftime',
    boundMethod<Time>('strftime', (self, args, run) => {
      const format = expectText(bindArguments('strftime', args, 'format').format)
      run.budget.spendOnText(format.length * 8)
      return strftime(self.micros, format)
    }),
  ],
])

export const spanAttributes: ReadonlyMap<string, (self: TimeSpan) => Value> = new Map<string, (self: TimeSpan) => Value>([
  ['days', (self) => BigInt(Math.floor(self.micros / MICROS_PER_DAY))],
  ['seconds', (self) => BigInt(Math.floor((self.micros - Math.floor(self.micros / MICROS_PER_DAY) * MICROS_PER_DAY) / 1_000_000))],
  ['microseconds', (self) => BigInt(self.micros - Math.floor(self.micros / 1_000_000) * 1_000_000)],
  ['total_seconds', boundMethod<TimeSpan>('total_seconds', (self) => self.micros / 1_000_000)],
])
