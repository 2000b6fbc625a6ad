import type { Cli } from '../cli.ts'
import { type Column, formatFields } from './table.ts'
import { toSingleLine } from './text-width.ts'
import { formatAge } from './time-text.ts'

/** `2026-05-01T12:00:00Z`: in UTC, so that it can be compared with logs and given to `--since`. */
export const formatMoment = (time: string): string => time.replace(/\.\d+/, '')

/** A time and its distance from now: `2026-05-01T12:00:00Z (5m ago)`. */
export const formatMomentWithAge = (time: string | null | undefined): string => (time ? `${formatMoment(time)} (${formatAge(time, Date.now())})` : '')

/** A time as a field of an item. */
export const momentField = <T>(title: string, value: (item: T) => string | null | undefined): Column<T> => ({
  title,
  value: (item) => formatMomentWithAge(value(item)),
})

/** Prints the fields of an item that have a value. */
export function printFields<T>(cli: Cli, item: T, fields: readonly Column<T>[]): void {
  const isShown = (field: Column<T>) => !field.isWide || cli.output.format === 'wide'
  const hasValue = (field: Column<T>) => ![null, undefined, ''].includes(field.value(item) as string | null | undefined)
  cli.output.text(
    formatFields(
      item,
      fields.filter((field) => isShown(field) && hasValue(field)),
      cli.output.style,
    ),
  )
}

/** Prints a part of an item under its title. */
export function printSection(cli: Cli, title: string, lines: readonly string[]): void {
  if (lines.length > 0) cli.output.text(['', cli.output.style('bold', title), ...lines.map((line) => `  ${line}`)].join('\n'))
}

/** One line for each value of an object: `rows  1000`. */
export function valueLines(values: Readonly<Record<string, unknown>> | null | undefined): string[] {
  const entries = Object.entries(values ?? {})
  const width = Math.max(0, ...entries.map(([name]) => toSingleLine(name).length))
  return entries.map(([name, value]) => `${toSingleLine(name).padEnd(width)}  ${toSingleLine(JSON.stringify(value))}`)
}
