import { expect, test } from 'vitest'
import { flowContext, stateWithDetails, timeAfter } from '../../../test/orchestration-fixtures.ts'
import { accept } from '../verdicts.ts'
import { copyScheduledTime } from './copy-scheduled-time.ts'

const scheduled = stateWithDetails('SCHEDULED', { scheduled_time: timeAfter(60) })

test('pending keeps the time', () => {
  expect(copyScheduledTime.decide(flowContext(scheduled, 'PENDING'))).toMatchObject({
    kind: 'accept',
    state: { type: 'PENDING', state_details: { scheduled_time: timeAfter(60) } },
  })
})

test('unless it comes with its own', () => {
  expect(copyScheduledTime.decide(flowContext(scheduled, stateWithDetails('PENDING', { scheduled_time: timeAfter(-1) })))).toBe(accept)
})
