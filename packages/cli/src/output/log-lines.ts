import { stripVTControlCharacters } from 'node:util'
import { sortableTime } from '@millrace/client/sortable-time.ts'
import type { Log } from '@millrace/contracts/log.ts'
import { InvalidArgumentError } from 'commander'
import type { Style, Styler } from './style.ts'
import { toSafeText, toSingleLine } from './text-width.ts'

const levels = { trace: 0, debug: 10, info: 20, warning: 30, error: 40, critical: 50 } as const

/** The number of a level: `warning`, `WARN` or `30`. */
export function parseLevel(text: string): number {
  if (/^\d{1,3}$/.test(text)) return Number(text)
  const found = Object.entries(levels).find(([name]) => text.length >= 4 && name.startsWith(text.toLowerCase()))
  if (!found) throw new InvalidArgumentError(`It is not one of ${Object.keys(levels).join(', ')}, or a number.`)
  return found[1]
}

/** Clients may also use levels between the named ones. */
function levelName(level: number): string {
  const [name = 'trace'] = Object.entries(levels).findLast(([, value]) => level >= value) ?? []
  return name.toUpperCase()
}

function levelStyle(level: number): Style {
  if (level >= levels.error) return 'red'
  if (level >= levels.warning) return 'yellow'
  return level >= levels.info ? 'blue' : 'gray'
}

/** Always with three digits, so that the columns of lines are aligned. */
const toMilliseconds = (time: string): string => sortableTime(time).replace(/(\.\d{3})\d*/, '$1')

export interface LogLineOptions {
  readonly timestamps: boolean
  /** Name of the run, for logs of several runs. */
  readonly run?: string | undefined
}

/** `2026-05-01T12:00:00.123Z  INFO      brave-otter  message`. A message may have several lines. */
export function formatLog({ timestamp, level, message }: Log, { timestamps, run }: LogLineOptions, style: Styler): string {
  const time = timestamps ? `${style('gray', toMilliseconds(timestamp))}  ` : ''
  const name = run === undefined ? '' : `${style('cyan', toSingleLine(run))}  `
  return `${time}${style(levelStyle(level), levelName(level).padEnd(8))}  ${name}${toSafeText(stripVTControlCharacters(message))}`
}
