import type { State, Verdict } from '@millrace/contracts/state.ts'
import { expect, test } from 'vitest'
import { buildHistory } from './build-history.ts'

const state = (id: string, timestamp: string) =>
  ({ id, timestamp, type: 'RUNNING', name: id, message: null, data: null, state_details: {} }) as unknown as State
const verdict = (id: string, at: string) =>
  ({ id, at, run_id: 'r', status: 'REJECT', rule: '', reason: '', facts: null, from_type: null, to_type: 'RUNNING' }) as Verdict

test('sorts states and verdicts newest first, with a verdict below the state it led to', () => {
  const first = state('first', '2026-01-01T00:00:00Z')
  const second = state('second', '2026-01-01T00:00:05Z')
  const entries = buildHistory([first, second], [verdict('v1', '2026-01-01T00:00:02Z'), verdict('v2', '2026-01-01T00:00:05Z')])
  expect(entries.map((entry) => (entry.kind === 'state' ? entry.state.id : entry.verdict.id))).toEqual(['second', 'v2', 'v1', 'first'])
  expect(entries[3]).toMatchObject({ until: second })
  expect(entries[0]).toMatchObject({ until: undefined })
})
