import { expect, test } from 'vitest'
import { formatReport } from './format-report.ts'

const flows = { noun: 'flows', source: 1200, adopted: 1200, skipped: 0, reason: '' }

test('shows the counts of each noun that has rows, with the reason for skipped rows', () => {
  const lines = [
    flows,
    { ...flows, noun: 'agents', source: 0, adopted: 0 },
    { noun: 'states', source: 3, adopted: 2, skipped: 1, reason: 'their run is gone' },
  ]
  const text = formatReport({ lines, notes: ['something is odd'], mismatched: [] }, 1202, 2)
  expect(text.split('\n')).toEqual([
    '        source  adopted  skipped',
    'flows    1,200    1,200',
    'states       3        2        1  their run is gone',
    '',
    'Note: something is odd.',
    '1,202 rows in 2.0 s, 601 per second.',
    'All counts match. Retention keeps adopted data until you run `millrace retention include-adopted`.',
  ])
})

test('reports counts that differ', () => {
  const text = formatReport({ lines: [{ ...flows, adopted: 1199 }], notes: [], mismatched: ['flows'] }, 1199, 1)
  expect(text).toContain('DIFFERS')
  expect(text).toContain('COUNTS DIFFER for flows')
})
