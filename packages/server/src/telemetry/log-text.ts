import { type LogLevel, levelOfSeverity } from '../lib/log-level.ts'
import { sortableTime } from '../lib/time.ts'
import type { LogLine } from './otlp-json.ts'

const colours: Readonly<Record<LogLevel, number>> = { trace: 90, debug: 36, info: 32, warn: 33, error: 31, fatal: 35, silent: 90 }
const dim = 2

/** Fields that are part of the line already, or that say nothing on a terminal. */
const hidden = new Set(['level', 'time', 'msg', 'pid', 'hostname', 'err', 'room', 'trace_id', 'span_id'])

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is removed
const controlCharacters = /[\u0000-\u001f\u007f-\u009f]/g

/** A line for people: time, level, room, message, the other fields, and the stack of an error below. Control characters of values are escaped. */
export function logText(line: LogLine, hasColours: boolean): string {
  const { level, time, msg = '', ...rest } = line as LogLine & { room?: string; err?: { stack?: string; message?: string } }
  const paint = (text: string, colour: number) => (hasColours ? `\u001b[${colour}m${text}\u001b[0m` : text)
  const name = levelOfSeverity(level)
  const fields = Object.entries(rest)
    .filter(([key]) => !hidden.has(key))
    .map(([key, value]) => `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
  const parts = [
    paint(sortableTime(time * 1000).slice(11, 23), dim),
    paint(name.toUpperCase().padEnd(5), colours[name]),
    ...(rest.room ? [paint(rest.room, dim)] : []),
    printable(msg),
    ...(fields.length > 0 ? [paint(printable(fields.join(' ')), dim)] : []),
  ]
  const stack = rest.err?.stack ?? rest.err?.message
  return `${parts.join(' ')}\n${stack === undefined ? '' : `${stack.split('\n').map(printable).join('\n')}\n`}`
}

const printable = (text: string): string =>
  text.replaceAll(controlCharacters, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
