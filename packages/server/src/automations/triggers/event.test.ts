import type { EventTrigger } from '@millrace/contracts/trigger.ts'
import { describe, expect, test } from 'vitest'
import { MatchBudget } from '../../events/match-budget.ts'
import { MICROS_PER_SECOND } from '../../lib/time.ts'
import { type Bucket, evaluateEvent, evaluateTime, type TriggerStep } from './event.ts'
import { matchEventName, type TriggerEvent } from './matching.ts'

const second = MICROS_PER_SECOND
const trigger = (more: Partial<EventTrigger>): EventTrigger => ({
  type: 'event',
  id: 't',
  match: {},
  match_related: {},
  after: [],
  expect: ['done'],
  for_each: [],
  posture: 'Reactive',
  threshold: 1,
  within: 0,
  ...more,
})
const event = (name: string, at: number): TriggerEvent => ({
  id: `${name}@${at}`,
  position: at,
  occurred: at * second,
  received: at * second,
  event: name,
  resource: {},
  related: [],
  text: `${name}@${at}`,
})

const evaluate = (of: EventTrigger, bucket: Bucket | undefined, event: TriggerEvent): TriggerStep =>
  evaluateEvent(of, bucket, { event, ...matchEventName(of, event.event, new MatchBudget(1000)) })

/** Passes events to a trigger, second by second, and returns the firings with the event that each firing names. */
function collectFirings(of: EventTrigger, timeline: readonly (readonly [at: number, name: string])[]): string[] {
  let bucket: Bucket | undefined
  const fired: string[] = []
  for (const [at, name] of timeline) {
    const step: TriggerStep =
      name === 'time'
        ? bucket
          ? evaluateTime(of, bucket, at * second)
          : { bucket: null, fired: null, reason: '' }
        : evaluate(of, bucket, event(name, at))
    bucket = step.bucket ?? undefined
    if (step.fired) fired.push(`${at}: ${step.fired.event}`)
  }
  return fired
}

describe('a reactive trigger', () => {
  test('fires for every event without a period', () => {
    expect(
      collectFirings(trigger({}), [
        [1, 'done'],
        [2, 'done'],
        [2, 'done'],
      ]),
    ).toEqual(['1: done@1', '2: done@2', '2: done@2'])
  })

  test('counts without a period', () => {
    expect(
      collectFirings(trigger({ threshold: 3 }), [
        [1, 'done'],
        [50, 'done'],
        [90, 'done'],
        [91, 'done'],
      ]),
    ).toEqual(['90: done@90'])
  })

  test('fires at the threshold and not again in the same period', () => {
    const twice = trigger({ threshold: 2, within: 60 })
    // The period began with the first event, at 100.
    expect(
      collectFirings(twice, [
        [100, 'done'],
        [110, 'done'],
        [111, 'done'],
        [112, 'done'],
        [159, 'done'],
        [160, 'done'],
        [161, 'done'],
      ]),
    ).toEqual(['110: done@110', '161: done@161'])
  })

  test('starts over when the period ends below the threshold', () => {
    const twice = trigger({ threshold: 2, within: 60 })
    expect(
      collectFirings(twice, [
        [100, 'done'],
        [170, 'done'],
        [171, 'done'],
      ]),
    ).toEqual(['171: done@171'])
    expect(
      collectFirings(twice, [
        [100, 'done'],
        [170, 'done'],
        [235, 'done'],
        [240, 'done'],
      ]),
    ).toEqual(['240: done@240'])
  })

  test('counts events that are up to 15 minutes late', () => {
    const twice = trigger({ threshold: 2, within: 60 })
    expect(
      collectFirings(twice, [
        [1000, 'done'],
        [101, 'done'],
      ]),
    ).toEqual(['101: done@101'])
    expect(
      collectFirings(twice, [
        [1000, 'done'],
        [99, 'done'],
      ]),
    ).toEqual([])
  })

  test('ignores events from before its last firing', () => {
    const once = trigger({ within: 60 })
    expect(
      collectFirings(once, [
        [100, 'done'],
        [100, 'done'],
        [50, 'done'],
        [160, 'done'],
      ]),
    ).toEqual(['100: done@100', '160: done@160'])
  })

  test('treats a threshold below one as one', () => {
    expect(collectFirings(trigger({ threshold: 0 }), [[1, 'done']])).toEqual(['1: done@1'])
    expect(
      collectFirings(trigger({ threshold: -3, within: 5 }), [
        [1, 'done'],
        [2, 'done'],
        [7, 'done'],
      ]),
    ).toEqual(['1: done@1', '7: done@7'])
  })

  describe('with after', () => {
    const after = trigger({ after: ['start'], within: 60 })

    test('waits for the start event', () => {
      expect(
        collectFirings(after, [
          [1, 'done'],
          [2, 'start'],
          [3, 'done'],
          [4, 'done'],
        ]),
      ).toEqual(['3: done@3'])
    })

    test('counts only within the period', () => {
      expect(
        collectFirings(after, [
          [1, 'start'],
          [61, 'done'],
          [62, 'done'],
        ]),
      ).toEqual([])
    })

    test('does not extend the period for a second start', () => {
      expect(
        collectFirings(after, [
          [1, 'start'],
          [50, 'start'],
          [70, 'done'],
        ]),
      ).toEqual([])
    })

    test('ignores events before the start', () => {
      expect(
        collectFirings(after, [
          [10, 'start'],
          [9, 'done'],
          [11, 'done'],
        ]),
      ).toEqual(['11: done@11'])
    })

    test('counts an event that is start and expected from the second on', () => {
      const both = trigger({ after: ['done'], within: 60 })
      expect(
        collectFirings(both, [
          [1, 'done'],
          [2, 'done'],
          [3, 'done'],
        ]),
      ).toEqual(['2: done@2'])
      expect(
        collectFirings(trigger({ after: ['done'], within: 60, threshold: 2 }), [
          [1, 'done'],
          [2, 'done'],
          [3, 'done'],
        ]),
      ).toEqual(['3: done@3'])
    })
  })
})

describe('a proactive trigger', () => {
  const missing = (more: Partial<EventTrigger> = {}) => trigger({ posture: 'Proactive', within: 10, ...more })

  test('fires at the end of each period', () => {
    expect(
      collectFirings(missing(), [
        [100, 'done'],
        [109, 'time'],
        [110, 'time'],
        [115, 'time'],
        [120, 'time'],
        [131, 'time'],
      ]),
    ).toEqual(['120: null', '131: null'])
  })

  test('reports the last event', () => {
    expect(
      collectFirings(missing({ threshold: 3 }), [
        [100, 'done'],
        [105, 'done'],
        [110, 'time'],
      ]),
    ).toEqual(['110: done@105'])
  })

  test('does not fire at the threshold', () => {
    expect(
      collectFirings(missing({ threshold: 2 }), [
        [100, 'done'],
        [105, 'done'],
        [110, 'time'],
        [112, 'done'],
        [119, 'done'],
        [120, 'time'],
        [130, 'time'],
      ]),
    ).toEqual(['130: null'])
  })

  test('fires for an event after the period and counts it in the next', () => {
    expect(
      collectFirings(missing({ threshold: 2 }), [
        [100, 'done'],
        [111, 'done'],
        [112, 'done'],
        [121, 'time'],
        [131, 'time'],
      ]),
    ).toEqual(['111: done@111', '131: null'])
  })

  test('fires once after a long downtime of the server', () => {
    expect(
      collectFirings(missing(), [
        [100, 'done'],
        [105, 'done'],
        [110, 'time'],
        [5000, 'time'],
        [5005, 'time'],
        [5010, 'time'],
      ]),
    ).toEqual(['5000: null', '5010: null'])
  })

  describe('with after', () => {
    const after = missing({ after: ['start'] })

    test('fires once when the expected event is missing', () => {
      expect(
        collectFirings(after, [
          [1, 'start'],
          [10, 'time'],
          [11, 'time'],
          [25, 'time'],
        ]),
      ).toEqual(['11: start@1'])
    })

    test('does not fire when the expected event arrives', () => {
      expect(
        collectFirings(after, [
          [1, 'start'],
          [5, 'done'],
          [11, 'time'],
          [30, 'time'],
        ]),
      ).toEqual([])
    })

    test('evaluates each start after the previous one was followed', () => {
      expect(
        collectFirings(after, [
          [1, 'start'],
          [2, 'done'],
          [3, 'start'],
          [11, 'time'],
          [13, 'time'],
        ]),
      ).toEqual(['13: start@3'])
    })

    test('does not fire without a start', () => {
      expect(
        collectFirings(after, [
          [1, 'done'],
          [50, 'time'],
        ]),
      ).toEqual([])
    })

    test('fires at once for a late expected event', () => {
      expect(
        collectFirings(after, [
          [1, 'start'],
          [12, 'done'],
          [13, 'time'],
        ]),
      ).toEqual(['12: done@12'])
    })

    test('starts the next period with each heartbeat that is start and expected', () => {
      const beat = missing({ after: ['beat'], expect: ['beat', 'end'] })
      expect(
        collectFirings(beat, [
          [1, 'beat'],
          [8, 'beat'],
          [15, 'beat'],
          [20, 'time'],
          [25, 'time'],
        ]),
      ).toEqual(['25: beat@15'])
      expect(
        collectFirings(beat, [
          [1, 'beat'],
          [8, 'beat'],
          [12, 'end'],
          [20, 'time'],
          [40, 'time'],
        ]),
      ).toEqual([])
    })
  })
})

test('explains why a trigger did not fire', () => {
  const reasonOf = (of: EventTrigger, bucket: Bucket | undefined, name: string, at: number) => evaluate(of, bucket, event(name, at)).reason
  const open: Bucket = { start: 0, end: 60 * second, count: 0, lastEvent: null }
  expect(reasonOf(trigger({ threshold: 3, within: 60 }), open, 'done', 1)).toBe('1 of 3 events in the period until 1970-01-01T00:01:00Z')
  expect(reasonOf(trigger({ threshold: 3 }), undefined, 'done', 1)).toBe('1 of 3 events so far')
  expect(reasonOf(trigger({ within: 60 }), { ...open, start: 30 * second }, 'done', 1)).toBe(
    'Ignored: the event occurred before the period, which starts at 1970-01-01T00:00:30Z.',
  )
  expect(reasonOf(trigger({ after: ['start'] }), undefined, 'done', 1)).toBe('No event in `after` has started a period.')
  expect(reasonOf(trigger({ after: ['start'] }), undefined, 'start', 1)).toBe('A period has started. The expected event has not arrived yet.')
  expect(reasonOf(trigger({ posture: 'Proactive', within: 60 }), open, 'done', 1)).toBe('The expected event arrived in time.')
  expect(reasonOf(trigger({ posture: 'Proactive', within: 60, threshold: 2 }), open, 'done', 1)).toContain(
    '1 of 2 events so far. The trigger fires at',
  )
})
