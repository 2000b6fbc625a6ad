import { expect, test } from 'vitest'
import { detailed, flowContext, timeAfter } from '../fixtures.ts'
import { accept } from '../verdict.ts'
import { copyScheduledTime } from './copy-scheduled-time.ts'

const scheduled = detailed('SCHEDULED', { scheduled_time: timeAfter(60) })

test('pending keeps the time', () => {
  expect(copyScheduledTime.decide(flowContext(scheduled, 'PENDING'))).toMatchObject({
    kind: 'accept',
    state: { type: 'PENDING', state_details: { scheduled_time: timeAfter(60) } },
  })
})

test('unless it comes with its own', () => {
  expect(copyScheduledTime.decide(flowContext(scheduled, detailed('PENDING', { scheduled_time: timeAfter(-1) })))).toBe(accept)
})
