import type { Log } from '@millrace/contracts/log.ts'
import { expect, test } from 'vitest'
import { formatLogs } from './format-logs.ts'

test('formats logs as lines of text', () => {
  const log = { timestamp: '2030-01-01T00:00:00Z', level: 35, name: 'flow', message: '\u001b[31mslow\u001b[0m' } as Log
  expect(formatLogs([log])).toBe('2030-01-01T00:00:00Z WARNING  flow: slow\n')
})
