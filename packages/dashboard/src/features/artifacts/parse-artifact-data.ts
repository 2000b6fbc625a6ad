import { parseJson } from '@millrace/client/json.ts'
import { isSafeLinkUrl } from '../../ui/safe-url.ts'

export interface TableData {
  readonly columns: readonly string[]
  readonly rows: readonly (readonly unknown[])[]
}

/** Parses a table artifact: rows as objects, columns as lists, or rows as lists; as JSON or as JSON text. */
export function parseTableData(data: unknown): TableData | undefined {
  const value = typeof data === 'string' ? tryParseJson(data) : data
  if (Array.isArray(value)) return fromRows(value)
  return typeof value === 'object' && value !== null ? fromColumns(value as Record<string, unknown>) : undefined
}

function fromRows(rows: readonly unknown[]): TableData | undefined {
  if (rows.every(Array.isArray)) {
    const width = rows.reduce((most: number, row) => Math.max(most, row.length), 0)
    return { columns: Array.from({ length: width }, (_, index) => String(index + 1)), rows }
  }
  if (!rows.every((row) => typeof row === 'object' && row !== null && !Array.isArray(row))) return undefined
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row as object)))]
  return { columns, rows: rows.map((row) => columns.map((column) => (row as Record<string, unknown>)[column])) }
}

function fromColumns(named: Record<string, unknown>): TableData | undefined {
  const columns = Object.keys(named)
  const lists = Object.values(named)
  if (!lists.every(Array.isArray)) return undefined
  const height = lists.reduce((most: number, list) => Math.max(most, list.length), 0)
  return { columns, rows: Array.from({ length: height }, (_, row) => lists.map((list) => list[row])) }
}

function tryParseJson(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}

export interface LinkData {
  readonly text: string
  /** Undefined if the URL is not safe to link. */
  readonly url: string | undefined
}

/** Parses a link artifact: a URL, or Markdown with one link. */
export function parseLinkData(data: unknown): LinkData | undefined {
  if (typeof data !== 'string') return undefined
  const [, label, target] = /^\s*\[([^\]]*)\]\((\S+?)\)\s*$/.exec(data) ?? []
  const address = (target ?? data).trim()
  return { text: label || address, url: isSafeLinkUrl(address) ? address : undefined }
}
