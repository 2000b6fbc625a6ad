import { hasMismatch, type Report, type ReportLine } from '@millrace/server/adopt/report.ts'
import { formatNumber } from '../output/number-text.ts'

/** The summary at the end of a copy. */
export function formatReport({ lines, notes, mismatched }: Report, rows: number, seconds: number): string {
  const shown = lines.filter(({ source, adopted }) => source > 0 || adopted > 0)
  return [
    formatTable(shown),
    '',
    ...notes.map((note) => `Note: ${note}.`),
    `${formatNumber(rows)} rows in ${seconds.toFixed(1)} s, ${formatNumber(Math.round(rows / Math.max(seconds, 0.001)))} per second.`,
    mismatched.length > 0
      ? `COUNTS DIFFER for ${mismatched.join(', ')}: the source or the copy changed during the copy.`
      : 'All counts match. Retention keeps adopted data until you run `millrace retention include-adopted`.',
  ].join('\n')
}

const headings = ['', 'source', 'adopted', 'skipped', '']

function formatTable(lines: readonly ReportLine[]): string {
  const rows = [
    headings,
    ...lines.map((line) => [
      line.noun,
      formatNumber(line.source),
      formatNumber(line.adopted),
      line.skipped === 0 ? '' : formatNumber(line.skipped),
      [hasMismatch(line) ? 'DIFFERS' : '', line.reason].filter(Boolean).join(', '),
    ]),
  ]
  const widths = headings.map((_, column) => Math.max(...rows.map((row) => (row[column] as string).length)))
  return rows
    .map((row) =>
      row.map((cell, column) => (isText(column) ? cell.padEnd(widths[column] as number) : cell.padStart(widths[column] as number))).join('  '),
    )
    .map((row) => row.trimEnd())
    .join('\n')
}

const isText = (column: number): boolean => column === 0 || column === headings.length - 1
