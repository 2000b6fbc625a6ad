import { expect, test } from 'vitest'
import { aState, taskContext } from '../../../test/orchestration-fixtures.ts'
import { accept } from '../verdicts.ts'
import { renameReruns } from './rename-reruns.ts'

const own = aState('RUNNING', { name: 'Own name' })

test.each([
  ['after waiting for a retry', aState('SCHEDULED', { name: 'AwaitingRetry' }), 'Retrying'],
  ['from running', 'RUNNING' as const, 'Rerunning'],
  ['from pending', 'PENDING' as const, 'Rerunning'],
])('%s it is called %s', (_name, from, name) => {
  expect(renameReruns.decide(taskContext(from, own, { run: { run_count: 1 } }))).toMatchObject({ kind: 'accept', state: { type: 'RUNNING', name } })
})

test('the first time its name is its own', () => {
  expect(renameReruns.decide(taskContext('PENDING', own))).toBe(accept)
})
