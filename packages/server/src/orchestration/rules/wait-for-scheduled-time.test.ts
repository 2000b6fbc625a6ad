import { expect, test } from 'vitest'
import { flowContext, stateWithDetails, timeAfter } from '../../../test/orchestration-fixtures.ts'
import { accept } from '../verdicts.ts'
import { waitForScheduledTime } from './wait-for-scheduled-time.ts'

const scheduledIn = (seconds: number, type: 'SCHEDULED' | 'PENDING' = 'SCHEDULED') => stateWithDetails(type, { scheduled_time: timeAfter(seconds) })

test.each([
  [3600, 3600],
  [1.5, 1],
  [1.500001, 2],
  [0.6, 1],
])('%d seconds early: ask again in %d', (early, delay_seconds) => {
  expect(waitForScheduledTime.decide(flowContext(scheduledIn(early), 'RUNNING'))).toMatchObject({
    kind: 'wait',
    delay_seconds,
    facts: { scheduled_time: timeAfter(early) },
  })
})

test('pending does not hide the time', () => {
  expect(waitForScheduledTime.decide(flowContext(scheduledIn(60, 'PENDING'), 'RUNNING'))).toMatchObject({ kind: 'wait', delay_seconds: 60 })
})

test('the reason says when', () => {
  expect(waitForScheduledTime.decide(flowContext(scheduledIn(1), 'RUNNING'))).toMatchObject({
    reason: 'This run is scheduled for 2031-02-01T09:30:01.000000Z, in 1 second.',
  })
})

test.each([
  ['its time has come', scheduledIn(0)],
  ['its time is long past', scheduledIn(-3600)],
  ['half a second is no delay', scheduledIn(0.5)],
  ['it has no time', stateWithDetails('PENDING', {})],
])('%s: goes on', (_name, from) => {
  expect(waitForScheduledTime.decide(flowContext(from, 'RUNNING'))).toBe(accept)
})
