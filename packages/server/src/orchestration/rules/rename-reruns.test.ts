import { expect, test } from 'vitest'
import { aState, taskContext } from '../../../test/orchestration-fixtures.ts'
import { accept } from '../verdicts.ts'
import { renameReruns } from './rename-reruns.ts'

const customName = aState('RUNNING', { name: 'Own name' })

test.each([
  ['after AwaitingRetry', aState('SCHEDULED', { name: 'AwaitingRetry' }), 'Retrying'],
  ['from Running', 'RUNNING' as const, 'Rerunning'],
  ['from Pending', 'PENDING' as const, 'Rerunning'],
])('%s, names the state %s', (_name, from, name) => {
  expect(renameReruns.decide(taskContext(from, customName, { run: { run_count: 1 } }))).toMatchObject({
    kind: 'accept',
    state: { type: 'RUNNING', name },
  })
})

test('keeps the name of the first attempt', () => {
  expect(renameReruns.decide(taskContext('PENDING', customName))).toBe(accept)
})
