import type { EventTrigger } from '@millrace/contracts/trigger.ts'
import { addSeconds, formatTime, MICROS_PER_SECOND, type Micros } from '../../lib/time.ts'
import type { NameMatch, TriggerEvent } from './matching.ts'

/** The count of a trigger in its open period, for one combination of `for_each` values. At most one is open at a time. */
export interface Bucket {
  readonly start: Micros
  /** Exclusive. */
  readonly end: Micros
  readonly count: number
  /** Reference to the last event, which a proactive trigger reports when it fires. Null for a reactive trigger. */
  readonly lastEvent: string | null
}

export interface TriggerStep {
  /** The bucket to store; null when no period is open. */
  readonly bucket: Bucket | null
  /** The reference to the triggering event, if any. */
  readonly fired: { readonly event: string | null } | null
  /** Why the trigger did not fire. */
  readonly reason: string
}

/** Events arrive out of order. The first period of a trigger without `after` therefore starts this long before the first event. */
const lookBackSeconds = 15 * 60

const isReactive = ({ posture }: EventTrigger): boolean => posture === 'Reactive'

/** An event that a trigger matches. */
interface MatchedEvent extends NameMatch {
  readonly event: TriggerEvent
}

/** The number of expected events that came before the one that starts a period, though they occurred in it. */
export type CountEarly = (start: Micros, end: Micros) => number

/** Evaluates a trigger for an event that it matches. */
export function evaluateEvent(
  trigger: EventTrigger,
  bucket: Bucket | undefined,
  matched: MatchedEvent,
  countEarly: CountEarly = () => 0,
): TriggerStep {
  const { event, isExpected: expected, startsPeriod } = matched
  const lastEvent = isReactive(trigger) ? null : event.text
  const end = addSeconds(event.occurred, trigger.within)
  let current = bucket
  if (startsPeriod) {
    // An event that both starts the period and is expected does not count in the period it starts.
    const early = current ? 0 : countEarly(event.occurred, end)
    current = current ? { ...current, lastEvent } : { start: event.occurred, end, count: early - (expected ? 1 : 0), lastEvent }
    if (early > 0 && !expected && early >= trigger.threshold)
      return { bucket: null, fired: null, reason: 'The expected event arrived in time, before the one that starts the period.' }
  } else if (trigger.after.length === 0 && expected) {
    current = current ? { ...current, lastEvent } : { start: addSeconds(event.occurred, -lookBackSeconds), end, count: 0, lastEvent }
  }
  if (!expected) return { bucket: current ?? null, fired: null, reason: 'A period has started. The expected event has not arrived yet.' }
  if (!current) return { bucket: null, fired: null, reason: 'No event in `after` has started a period.' }
  return evaluateBucket(trigger, current, event.occurred, matched)
}

/** Evaluates a trigger whose period may be over. */
export const evaluateTime = (trigger: EventTrigger, bucket: Bucket, now: Micros): TriggerStep => evaluateBucket(trigger, bucket, now, null)

function evaluateBucket(trigger: EventTrigger, bucket: Bucket, now: Micros, matched: MatchedEvent | null): TriggerStep {
  const event = matched?.event ?? null
  if (now < bucket.start)
    return { bucket, fired: null, reason: `Ignored: the event occurred before the period, which starts at ${formatTime(bucket.start)}.` }

  const reactive = isReactive(trigger)
  const within = Math.round(trigger.within * MICROS_PER_SECOND)
  const counts = event !== null && (now < bucket.end || (reactive && within === 0))
  const current: Bucket = counts ? { ...bucket, count: bucket.count + 1, lastEvent: reactive ? null : event.text } : bucket
  const enough = reactive ? current.count >= Math.max(1, trigger.threshold) : current.count < trigger.threshold
  const fires = enough && (reactive || current.end <= now)

  if (!fires && now < current.end) return continuePeriod(trigger, current, matched, enough)
  const fired = fires ? { event: event?.text ?? current.lastEvent } : null
  const reason = fires ? '' : describeProgress(trigger, current)
  // A period without a length lasts until the trigger fires.
  if (within === 0) return { bucket: fires ? null : current, fired, reason }
  if (trigger.after.length > 0) return { bucket: null, fired, reason }

  const start = Math.max(current.end, now)
  const next: Bucket = { start, end: start + within, count: 0, lastEvent: null }
  const isUncounted = event !== null && !counts
  if (isUncounted && reactive) return fires ? { bucket: next, fired, reason } : evaluateBucket(trigger, next, now, matched)
  return { bucket: isUncounted ? { ...next, count: 1, lastEvent: event.text } : next, fired, reason }
}

function continuePeriod(trigger: EventTrigger, bucket: Bucket, matched: MatchedEvent | null, enough: boolean): TriggerStep {
  if (isReactive(trigger) || enough || !matched) return { bucket, fired: null, reason: describeProgress(trigger, bucket) }
  // An event that is also in `after` starts the next period. Any other event waits for the next start.
  const reason = 'The expected event arrived in time.'
  if (matched.startsPeriod) {
    const { event } = matched
    const next = { start: event.occurred, end: addSeconds(event.occurred, trigger.within), count: 0, lastEvent: event.text }
    return { bucket: next, fired: null, reason }
  }
  return { bucket: trigger.after.length > 0 ? null : bucket, fired: null, reason }
}

function describeProgress(trigger: EventTrigger, { count, end }: Bucket): string {
  const progress = `${Math.max(0, count)} of ${trigger.threshold} events`
  if (isReactive(trigger)) return trigger.within === 0 ? `${progress} so far` : `${progress} in the period until ${formatTime(end)}`
  return `${progress} so far. The trigger fires at ${formatTime(end)} unless more events arrive.`
}
