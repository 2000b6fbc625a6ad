import type { Style, Styler } from './style.ts'
import { padEnd, padStart, textWidth, toSingleLine, truncate } from './text-width.ts'

/** A column of a table, or a field of an item. */
export interface Column<T> {
  readonly title: string
  value(item: T): string | number | boolean | null | undefined
  /** Only with `-o wide`. */
  readonly isWide?: boolean
  /** Never shortened, such as an id that is copied. */
  readonly isFixed?: boolean
  /** Left out, from the right, if the table does not fit otherwise. */
  readonly isOptional?: boolean
  readonly isNumber?: boolean
  style?(item: T): Style | undefined
}

const gap = '  '
/** A column is not made narrower than this. */
const columnWidthMin = 8

/** Draws a table that fits into `width` columns. Without a width every cell is whole, for other programs to read. */
export function formatTable<T>(items: readonly T[], allColumns: readonly Column<T>[], style: Styler, width?: number): string {
  const columns = width === undefined ? allColumns : fittingColumns(items, allColumns, width)
  const cells = items.map((item) => columns.map((column) => cellText(column.value(item))))
  const natural = columns.map(({ title }, index) => cells.reduce((width, row) => Math.max(width, textWidth(row[index] ?? '')), textWidth(title)))
  const widths = width === undefined ? natural : fitWidths(natural, columns, width)
  const draw = (row: readonly string[], styleOf: (index: number) => Style | undefined) =>
    row
      .map((cell, index) => {
        const text = truncate(cell, widths[index] ?? 0)
        const isLast = index === row.length - 1
        const padded = columns[index]?.isNumber ? padStart(text, widths[index] ?? 0) : isLast ? text : padEnd(text, widths[index] ?? 0)
        const chosen = styleOf(index)
        return chosen === undefined ? padded : style(chosen, padded)
      })
      .join(gap)
      .trimEnd()
  const heading = draw(
    columns.map(({ title }) => title),
    () => 'bold',
  )
  const rows = cells.map((row, line) => draw(row, (index) => columns[index]?.style?.(items[line] as T)))
  return [heading, ...rows].join('\n')
}

function cellText(value: string | number | boolean | null | undefined): string {
  if (value === null || value === undefined) return ''
  return toSingleLine(typeof value === 'boolean' ? (value ? 'yes' : 'no') : String(value))
}

/** Leaves out optional columns until the others fit at their smallest width. */
function fittingColumns<T>(items: readonly T[], columns: readonly Column<T>[], width: number): readonly Column<T>[] {
  const smallest = columns.map((column) => {
    const natural = items.reduce((width, item) => Math.max(width, textWidth(cellText(column.value(item)))), textWidth(column.title))
    return column.isFixed ? natural : Math.min(natural, widthMin(column))
  })
  let excess = smallest.reduce((sum, each) => sum + each, 0) + gap.length * (columns.length - 1) - width
  const left = [...columns]
  for (let index = columns.length - 1; index >= 0 && excess > 0; index -= 1) {
    if (!columns[index]?.isOptional) continue
    left.splice(index, 1)
    excess -= (smallest[index] as number) + gap.length
  }
  return left
}

const widthMin = ({ title }: { readonly title: string }): number => Math.max(columnWidthMin, textWidth(title))

/** Takes width from the widest columns first. A table that is still too wide overflows: its columns are needed. */
function fitWidths(natural: readonly number[], columns: readonly Column<never>[], width: number): number[] {
  // A column is never wider than the terminal, which also bounds the loop below.
  const widths = natural.map((each, index) => (columns[index]?.isFixed ? each : Math.min(each, width)))
  let excess = widths.reduce((sum, each) => sum + each, 0) + gap.length * (widths.length - 1) - width
  while (excess > 0) {
    let widest = -1
    for (const [index, each] of widths.entries()) {
      const column = columns[index]
      if (!column || column.isFixed || each <= widthMin(column)) continue
      if (widest === -1 || each > (widths[widest] as number)) widest = index
    }
    if (widest === -1) return widths
    widths[widest] = (widths[widest] as number) - 1
    excess -= 1
  }
  return widths
}

/** Draws the fields of one item, one line each. */
export function formatFields<T>(item: T, fields: readonly Column<T>[], style: Styler): string {
  const width = Math.max(...fields.map(({ title }) => textWidth(title)))
  return fields
    .map((field) => {
      const text = cellText(field.value(item))
      const chosen = field.style?.(item)
      return `${style('bold', padEnd(field.title, width))}  ${chosen === undefined ? text : style(chosen, text)}`.trimEnd()
    })
    .join('\n')
}
