import { expect, test } from 'vitest'
import { databaseKind, environmentVariable, flattenSettings, formatBytes, formatClock } from './format-settings.ts'

test.each([
  [0, '0 B'],
  [999, '999 B'],
  [5_808_128, '5.8 MB'],
  [123_456_789_000, '123 GB'],
])('%d is %s', (bytes, words) => {
  expect(formatBytes(bytes)).toBe(words)
})

test('derives the kind of database from its URL', () => {
  expect(['sqlite:/a/b.db', 'sqlite::memory:', 'postgres://u@h/d', null].map(databaseKind)).toEqual([
    'SQLite',
    'SQLite, in memory',
    'PostgreSQL',
    'unknown',
  ])
})

test('lists each setting with its environment variable', () => {
  expect(flattenSettings({ server: { port: 1, api: { list: [] } }, ui: null })).toEqual([
    { path: 'server.port', value: 1 },
    { path: 'server.api.list', value: [] },
    { path: 'ui', value: null },
  ])
  expect(environmentVariable('server.api.auth_string')).toBe('MILLRACE_SERVER_API_AUTH_STRING')
})

test.each([
  [{ source: 'machine', skew_seconds: 0 }, 'Server clock'],
  [{ source: 'database', skew_seconds: 0.01 }, 'Database clock; server clock in sync'],
  [{ source: 'database', skew_seconds: 3600.04 }, 'Database clock; server clock is 3600.0 s ahead'],
  [{ source: 'database', skew_seconds: -2.5 }, 'Database clock; server clock is 2.5 s behind'],
] as const)('describes the clock %o', (clock, words) => {
  expect(formatClock(clock)).toBe(words)
})
