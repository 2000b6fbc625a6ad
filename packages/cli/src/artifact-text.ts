import { parseJson } from '@millrace/client/json.ts'
import type { Artifact } from '@millrace/contracts/artifact.ts'
import { formatBar } from './output/number-text.ts'
import type { Styler } from './output/style.ts'
import { type Column, formatTable } from './output/table.ts'
import { toSafeText, toSingleLine } from './output/text-width.ts'

/** The content of an artifact for a terminal. */
export function artifactLines({ type, data }: Pick<Artifact, 'type' | 'data'>, style: Styler, width: number | undefined): string[] {
  if (type === 'markdown' && typeof data === 'string') return markdownLines(data, style)
  if (type === 'progress' && typeof data === 'number') return [progressLine(data)]
  const table = type === 'table' ? parseTable(data) : undefined
  if (table && table.rows.length > 0) return tableLines(table, style, width)
  if (typeof data === 'string') return toSafeText(data).split('\n')
  return toSafeText(JSON.stringify(data, null, 2) ?? '').split('\n')
}

/** Markdown is readable as it is. Headings are bold and code is grey on a terminal with colours. */
function markdownLines(text: string, style: Styler): string[] {
  let isCode = false
  return toSafeText(text.replaceAll('\r\n', '\n'))
    .split('\n')
    .map((line) => {
      if (/^\s*(?:```|~~~)/.test(line)) {
        isCode = !isCode
        return style('gray', line)
      }
      if (isCode) return style('gray', line)
      return /^#{1,6} /.test(line) ? style('bold', line) : line
    })
}

const barWidth = 40

/** `████░░░░ 50 %` */
function progressLine(percent: number): string {
  const share = Math.min(1, Math.max(0, percent / 100))
  return `${formatBar(share, barWidth)} ${Number(percent.toFixed(2))} %`
}

interface Table {
  readonly columns: readonly string[]
  readonly rows: readonly (readonly unknown[])[]
}

function tableLines({ columns, rows }: Table, style: Styler, width: number | undefined): string[] {
  const shown = columns.map((title, index): Column<readonly unknown[]> => {
    const isNumber = rows.every((row) => row[index] == null || typeof row[index] === 'number')
    return { title: toSingleLine(title), value: (row) => cellText(row[index]), isNumber }
  })
  return formatTable(rows, shown, style, width).split('\n')
}

function cellText(value: unknown): string {
  if (value === null || value === undefined) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** A table is JSON, or JSON as text: rows as objects, rows as lists, or columns as lists. Undefined for any other data. */
function parseTable(data: unknown): Table | undefined {
  const value = typeof data === 'string' ? tryParseJson(data) : data
  if (Array.isArray(value)) return tableOfRows(value)
  if (typeof value !== 'object' || value === null) return undefined
  const columns = Object.entries(value)
  if (!columns.every(([, list]) => Array.isArray(list))) return undefined
  const height = columns.reduce((most, [, list]) => Math.max(most, (list as unknown[]).length), 0)
  return {
    columns: columns.map(([name]) => name),
    rows: Array.from({ length: height }, (_, row) => columns.map(([, list]) => (list as unknown[])[row])),
  }
}

function tableOfRows(rows: readonly unknown[]): Table | undefined {
  if (rows.every(Array.isArray)) {
    const width = rows.reduce((most: number, row) => Math.max(most, row.length), 0)
    return { columns: Array.from({ length: width }, (_, index) => String(index + 1)), rows }
  }
  if (!rows.every((row) => typeof row === 'object' && row !== null && !Array.isArray(row))) return undefined
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row as object)))]
  return { columns, rows: rows.map((row) => columns.map((column) => (row as Record<string, unknown>)[column])) }
}

function tryParseJson(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}
