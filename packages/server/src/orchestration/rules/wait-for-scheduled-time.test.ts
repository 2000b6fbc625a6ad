import { expect, test } from 'vitest'
import { flowContext, stateWithDetails, timeAfter } from '../../../test/orchestration-fixtures.ts'
import { dropZeroFraction } from '../../lib/time.ts'
import { accept } from '../verdicts.ts'
import { waitForScheduledTime } from './wait-for-scheduled-time.ts'

const scheduledIn = (seconds: number, type: 'SCHEDULED' | 'PENDING' = 'SCHEDULED') => stateWithDetails(type, { scheduled_time: timeAfter(seconds) })

test.each([
  [3600, 3600],
  [1.5, 1],
  [1.500001, 2],
  [0.6, 1],
])('waits %d seconds early for %d seconds', (early, delay_seconds) => {
  expect(waitForScheduledTime.decide(flowContext(scheduledIn(early), 'RUNNING'))).toMatchObject({
    kind: 'wait',
    delay_seconds,
    facts: { scheduled_time: dropZeroFraction(timeAfter(early)) },
  })
})

test('waits for a pending run', () => {
  expect(waitForScheduledTime.decide(flowContext(scheduledIn(60, 'PENDING'), 'RUNNING'))).toMatchObject({ kind: 'wait', delay_seconds: 60 })
})

test('states the time in the reason', () => {
  expect(waitForScheduledTime.decide(flowContext(scheduledIn(1), 'RUNNING'))).toMatchObject({
    reason: 'This run is scheduled for 2031-02-01T09:30:01Z, in 1 second.',
  })
})

test.each([
  ['the time is now', scheduledIn(0)],
  ['the time is past', scheduledIn(-3600)],
  ['the time is in half a second', scheduledIn(0.5)],
  ['there is no scheduled time', stateWithDetails('PENDING', {})],
])('accepts if %s', (_name, from) => {
  expect(waitForScheduledTime.decide(flowContext(from, 'RUNNING'))).toBe(accept)
})
