import { hasMismatch, type Report, type ReportLine } from '@millrace/server/adopt/report.ts'
import { formatNumber } from './progress-line.ts'

/** What is shown at the end of a copy. */
export function formatReport({ lines, notes, mismatched: differing }: Report, rows: number, seconds: number): string {
  const shown = lines.filter(({ source, adopted }) => source > 0 || adopted > 0)
  return [
    formatTable(shown),
    '',
    ...notes.map((note) => `Note: ${note}.`),
    `${formatNumber(rows)} rows in ${seconds.toFixed(1)} s, ${formatNumber(Math.round(rows / Math.max(seconds, 0.001)))} a second.`,
    differing.length > 0
      ? `THE NUMBERS DIFFER for ${differing.join(', ')}: something wrote to the source or to the copy meanwhile.`
      : 'All numbers agree. Retention spares what was taken over until you run `millrace retention include-adopted`.',
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
