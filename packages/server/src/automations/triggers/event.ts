import type { EventTrigger } from '@millrace/contracts/trigger.ts'
import { addSeconds, formatTime, MICROS_PER_SECOND, type Micros } from '../../lib/time.ts'
import { isExpected, startsPeriod } from './matching.ts'
import type { TriggerEvent } from './trigger-event.ts'

/** What a trigger has counted in the period that is open, for one set of label values. There is one at a time. */
export interface Bucket {
  readonly start: Micros
  /** Belongs to the next period. */
  readonly end: Micros
  readonly count: number
  /** The last event seen: what a trigger that fires by the clock tells of. Null for one that reacts. */
  readonly lastEvent: string | null
}

export interface TriggerStep {
  /** The period that is open from here on; null when there is none. */
  readonly bucket: Bucket | null
  /** With the event that the firing tells of, if there is one. */
  readonly fired: { readonly event: string | null } | null
  /** Why it did not fire. */
  readonly reason: string
}

/** Events reach the server out of order: the first period of a trigger that waits for no start reaches back this far. */
const lookBackSeconds = 15 * 60

const isReactive = ({ posture }: EventTrigger): boolean => posture === 'Reactive'

/** Shows a trigger an event that it cares for. */
export function evaluateEvent(trigger: EventTrigger, bucket: Bucket | undefined, event: TriggerEvent): TriggerStep {
  const expected = isExpected(trigger, event.event)
  const lastEvent = isReactive(trigger) ? null : event.text
  const end = addSeconds(event.occurred, trigger.within)
  let current = bucket
  if (startsPeriod(trigger, event.event)) {
    // One that starts the period and also counts must not count for the period it starts.
    current = current ? { ...current, lastEvent } : { start: event.occurred, end, count: expected ? -1 : 0, lastEvent }
  } else if (trigger.after.length === 0 && expected) {
    current = current ? { ...current, lastEvent } : { start: addSeconds(event.occurred, -lookBackSeconds), end, count: 0, lastEvent }
  }
  if (!expected) return { bucket: current ?? null, fired: null, reason: 'A period has begun; the event that counts has not come yet' }
  if (!current) return { bucket: null, fired: null, reason: 'None of the events that start a period was seen before' }
  return evaluateBucket(trigger, current, event.occurred, event)
}

/** Asks a trigger whose period may be over. */
export const evaluateTime = (trigger: EventTrigger, bucket: Bucket, now: Micros): TriggerStep => evaluateBucket(trigger, bucket, now, null)

function evaluateBucket(trigger: EventTrigger, bucket: Bucket, now: Micros, event: TriggerEvent | null): TriggerStep {
  if (now < bucket.start) return { bucket, fired: null, reason: `Events before ${formatTime(bucket.start)} do not count any more` }

  const reactive = isReactive(trigger)
  const within = Math.round(trigger.within * MICROS_PER_SECOND)
  const counts = event !== null && (now < bucket.end || (reactive && within === 0))
  const current: Bucket = counts ? { ...bucket, count: bucket.count + 1, lastEvent: reactive ? null : event.text } : bucket
  const enough = reactive ? current.count >= Math.max(1, trigger.threshold) : current.count < trigger.threshold
  const fires = enough && (reactive || current.end <= now)

  if (!fires && now < current.end) return continuePeriod(trigger, current, event, enough)
  const fired = fires ? { event: event?.text ?? current.lastEvent } : null
  const reason = fires ? '' : describeProgress(trigger, current)
  // Without a length a period goes on until it fires.
  if (within === 0) return { bucket: fires ? null : current, fired, reason }
  if (trigger.after.length > 0) return { bucket: null, fired, reason }

  const start = Math.max(current.end, now)
  const next: Bucket = { start, end: start + within, count: 0, lastEvent: null }
  const left = event !== null && !counts
  if (left && reactive) return fires ? { bucket: next, fired, reason } : evaluateBucket(trigger, next, now, event)
  return { bucket: left ? { ...next, count: 1, lastEvent: event.text } : next, fired, reason }
}

/** The period goes on. */
function continuePeriod(trigger: EventTrigger, bucket: Bucket, event: TriggerEvent | null, enough: boolean): TriggerStep {
  if (isReactive(trigger) || enough || !event) return { bucket, fired: null, reason: describeProgress(trigger, bucket) }
  // What was expected came in time. An event that is also a start begins the next period; otherwise only the next start does.
  const reason = 'What was expected came in time'
  if (startsPeriod(trigger, event.event)) {
    const next = { start: event.occurred, end: addSeconds(event.occurred, trigger.within), count: 0, lastEvent: event.text }
    return { bucket: next, fired: null, reason }
  }
  return { bucket: trigger.after.length > 0 ? null : bucket, fired: null, reason }
}

function describeProgress(trigger: EventTrigger, { count, end }: Bucket): string {
  const seen = `${Math.max(0, count)} of ${trigger.threshold} events`
  if (isReactive(trigger)) return trigger.within === 0 ? `${seen} so far` : `${seen} in the period up to ${formatTime(end)}`
  return `${seen} so far; it fires at ${formatTime(end)} unless more come`
}
