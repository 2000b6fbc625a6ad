import { expect, test } from 'vitest'
import { formatBytes, formatNumber } from './number-text.ts'

test('formats numbers and bytes', () => {
  expect([0, 999, 1000, 1_234_567].map(formatNumber)).toEqual(['0', '999', '1,000', '1,234,567'])
  expect([0, 999, 1000, 1_500_000, 123_456_789, 999_999, 5e15].map(formatBytes)).toEqual([
    '0 B',
    '999 B',
    '1.0 kB',
    '1.5 MB',
    '123 MB',
    '1000 kB',
    '5000 TB',
  ])
})
