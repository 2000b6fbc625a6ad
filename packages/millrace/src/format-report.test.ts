import { expect, test } from 'vitest'
import { formatReport } from './format-report.ts'

const flows = { noun: 'flows', source: 1200, adopted: 1200, skipped: 0, reason: '' }

test('a table of what is there, what was left and why; nouns without rows are not shown', () => {
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
    '1,202 rows in 2.0 s, 601 a second.',
    'All numbers agree. Retention spares what was taken over until you run `millrace retention include-adopted`.',
  ])
})

test('numbers that differ cannot be overlooked', () => {
  const text = formatReport({ lines: [{ ...flows, adopted: 1199 }], notes: [], mismatched: ['flows'] }, 1199, 1)
  expect(text).toContain('DIFFERS')
  expect(text).toContain('THE NUMBERS DIFFER for flows')
})
