import { expect, test } from 'vitest'
import { flowContext, stateWithDetails, timeAfter } from '../../../test/orchestration-fixtures.ts'
import { accept } from '../verdicts.ts'
import { copyScheduledTime } from './copy-scheduled-time.ts'

const scheduled = stateWithDetails('SCHEDULED', { scheduled_time: timeAfter(60) })

test('copies the scheduled time to Pending', () => {
  expect(copyScheduledTime.decide(flowContext(scheduled, 'PENDING'))).toMatchObject({
    kind: 'accept',
    state: { type: 'PENDING', state_details: { scheduled_time: timeAfter(60) } },
  })
})

test('keeps the scheduled time of the proposed state', () => {
  expect(copyScheduledTime.decide(flowContext(scheduled, stateWithDetails('PENDING', { scheduled_time: timeAfter(-1) })))).toBe(accept)
})
