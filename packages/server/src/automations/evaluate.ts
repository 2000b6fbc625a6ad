import type { EventTrigger } from '@millrace/contracts/trigger.ts'
import { advanceCursor, readCursor, readEventsAfter, readHead } from '../events/cursor.ts'
import { addSeconds, type Micros } from '../lib/time.ts'
import type { Tx } from '../storage/database.ts'
import { perServer, type ServerContext } from '../storage/server-context.ts'
import {
  BucketBuffer,
  bucketSlot,
  type DueBucket,
  hasDueBucket,
  hasSweepableBucket,
  readDueBuckets,
  removeBuckets,
  sweepBuckets,
} from './bucket-buffer.ts'
import { type Chain, sweepChains } from './chain.ts'
import type { FiringLimits } from './firing-limits.ts'
import { sweepUsage } from './firing-usage.ts'
import { type LoadedAutomations, loadedAutomations, type RegisteredTrigger } from './loaded-automations.ts'
import { canExtendChain, matchTriggers, readEventChains, type TriggerMatch } from './match-triggers.ts'
import { holdEvents, type ReorderResult, releaseEvents, reorderEvents } from './reorder-buffer.ts'
import { StepOutcome } from './step-outcome.ts'
import { resumeDue } from './suspension.ts'
import { type Bucket, evaluateEvent, evaluateTime } from './triggers/event.ts'
import { groupingLabels } from './triggers/matching.ts'
import type { TriggerEvent } from './triggers/trigger-event.ts'

/** The name under which the position in the event log is kept. */
const cursor = 'automations'

/** Read in one step at most, so that nobody waits long behind it. */
const defaultEventsMax = 200
const bucketsMax = 500
/** Events that no trigger cares for move the cursor only now and then; after a restart they are read again, to no effect. */
const skippedMax = 2000

export interface EvaluationReport {
  readonly events: number
  readonly fired: number
  /** Whether the periods that are over were looked at: only when there are no more events to read. */
  readonly checkedBuckets: boolean
  /** Whether there is more to do at once. */
  readonly more: boolean
}

/** How far the log was read beyond the cursor without finding anything of interest. */
const skipState = perServer((): { seen: number; read: number } => ({ seen: -1, read: -1 }))

/**
 * One step of all triggers along the log: the next events, and, when there are no more, the periods that are over. What the triggers have counted, what
 * they fired and the position in the log are written in one transaction, so that an end at any moment loses nothing and repeats nothing. Whoever moves
 * the cursor first has the step; the others find it moved and have done nothing.
 */
export async function evaluateStep(context: ServerContext, eventsMax = defaultEventsMax): Promise<EvaluationReport> {
  const { reads, writeQueue, clock } = context
  // Asked before the automations: one that is made later has nothing to do with events before it.
  const head = await readHead(reads)
  const automations = await loadedAutomations(context)
  const seen = await readCursor(reads, cursor)
  if (seen === undefined) throw new Error('the position of the automations in the event log is missing')
  const skipped = skipState(context)
  const from = skipped.seen === seen ? Math.max(seen, skipped.read) : seen
  const now = clock.now()
  if (automations.resumeAt !== null && automations.resumeAt <= now) {
    await writeQueue.submit(resumeDue(context, now))
    return { events: 0, fired: 0, checkedBuckets: false, more: true }
  }
  const nobodyAsks = automations.triggers.length === 0
  const rows = nobodyAsks ? [] : await readEventsAfter(reads, from, eventsMax)
  const drained = rows.length < eventsMax
  const read = nobodyAsks ? Math.max(from, head) : (rows.at(-1)?.position ?? from)
  const known = new Map(rows.map((row) => [row, matchTriggers(automations, row)]))
  const turns = nobodyAsks ? nothingToReorder : await reorderEvents(reads, rows, (row) => known.get(row)?.length !== 0, now)
  const concerns = turns.ready.flatMap(({ row, at, position }) =>
    (known.get(row) ?? matchTriggers(automations, row)).map((match) => ({ ...match, place: { at, position } })),
  )
  const chains = await readEventChains(reads, [...new Set(concerns.map(({ event }) => event))])
  const sweepUntil = addSeconds(now, -context.config.automations.expired_bucket_buffer_seconds)
  const timely = drained && (!automations.hasInitialBuckets || (await hasDueBucket(reads, now)) || (await hasSweepableBucket(reads, sweepUntil)))
  const kept = turns.held.length + turns.released.length
  if (concerns.length + kept === 0 && !timely && read - seen < skippedMax) {
    Object.assign(skipped, { seen, read })
    return { events: 0, fired: 0, checkedBuckets: timely, more: !drained }
  }

  const step = await writeQueue.submit(async (tx) => {
    if (!(await advanceCursor(tx, cursor, seen, read))) return undefined
    const outcome = new StepOutcome(context, tx, { automations, now, events: turns.ready.map(({ row }) => row) })
    const released = await releaseEvents(tx, turns.released)
    await holdEvents(tx, turns.held)
    const isOurs = ({ event: { position } }: TriggerMatch) => position > from || released.has(position)
    await evaluateEvents(tx, concerns.filter(isOurs), chains, outcome)
    const passed = timely ? await evaluateDueBuckets(tx, automations, { now, read, sweepUntil }, outcome) : 0
    await outcome.write()
    return { fired: outcome.fired, more: passed === bucketsMax }
  })
  if (!step) return { events: 0, fired: 0, checkedBuckets: false, more: true }
  if (timely) automations.hasInitialBuckets = true
  return { events: concerns.length, fired: step.fired, checkedBuckets: timely, more: !drained || step.more || step.fired > 0 }
}

const nothingToReorder: ReorderResult = { ready: [], held: [], released: [] }

/** Something that concerns a trigger, in its turn. */
type OrderedMatch = TriggerMatch & { readonly place: { readonly at: Micros; readonly position: number } }

async function evaluateEvents(
  tx: Tx,
  concerns: readonly OrderedMatch[],
  chains: ReadonlyMap<TriggerEvent, Chain>,
  outcome: StepOutcome,
): Promise<void> {
  const { limits } = outcome
  await creditCatchAll(concerns, chains, limits)
  const buckets = await BucketBuffer.read(
    tx,
    concerns.map(({ slot }) => slot),
  )
  for (const { registered, event, slot, key, place } of concerns) {
    const chain = chains.get(event) ?? []
    if (limits.isSuspended(registered.automation.id)) continue
    if (!canExtendChain(chain, registered.automation.id)) {
      outcome.notFired(registered.automation, 'The event was caused by an automation that this one led to, or by itself; a chain does not come back')
      continue
    }
    const step = evaluateEvent(registered.trigger, buckets.get(slot), event)
    buckets.set(slot, registered, key, step.bucket)
    if (step.fired) await outcome.fire(registered, { ...step.fired, labels: labelValues(registered, key) }, place, chain)
    else outcome.notFired(registered.automation, step.reason)
  }
  await buckets.write(tx)
}

/** The budget of automations that catch every event grows with the events that no automation caused. */
async function creditCatchAll(concerns: readonly OrderedMatch[], chains: ReadonlyMap<TriggerEvent, Chain>, limits: FiringLimits): Promise<void> {
  const real = concerns.filter(({ registered, event }) => registered.automation.catchesAll && (chains.get(event) ?? []).length === 0)
  for (const { place } of new Map(real.map((match) => [match.event, match])).values()) await limits.credit(1, place.at)
}

interface StepTime {
  readonly now: Micros
  readonly read: number
  readonly sweepUntil: Micros
}

/** How many periods were looked at. */
async function evaluateDueBuckets(
  tx: Tx,
  automations: LoadedAutomations,
  { now, read, sweepUntil }: StepTime,
  outcome: StepOutcome,
): Promise<number> {
  if (!automations.hasInitialBuckets) await openInitialBuckets(tx, automations, now)
  const found = sortDueBuckets(await readDueBuckets(tx, now, bucketsMax), automations)
  const buckets = await BucketBuffer.read(
    tx,
    found.map(({ slot }) => slot),
  )
  const forgotten: string[] = []
  for (const { slot, triggerId, key, bucket } of found) {
    const registered = automations.byId(triggerId)
    if (!registered || outcome.limits.isSuspended(registered.automation.id)) {
      forgotten.push(slot)
      continue
    }
    const step = evaluateTime(registered.trigger, bucket, now)
    buckets.set(slot, registered, key, step.bucket)
    if (step.fired) await outcome.fire(registered, { ...step.fired, labels: labelValues(registered, key) }, { at: bucket.end, position: read }, [])
    else outcome.notFired(registered.automation, step.reason)
  }
  await buckets.write(tx)
  if (forgotten.length > 0) await removeBuckets(tx, forgotten)
  await sweepBuckets(tx, sweepUntil)
  await sweepChains(tx, now)
  await sweepUsage(tx, now)
  return found.length
}

/** Periods that ended together, in the order of their triggers: a sequence asks which fired first. */
function sortDueBuckets(found: readonly DueBucket[], automations: LoadedAutomations): DueBucket[] {
  const place = ({ triggerId, key }: DueBucket): string => `${String(automations.orderOf(triggerId)).padStart(9, '0')} ${key.join(' ')}`
  return [...found].sort((a, b) => a.bucket.end - b.bucket.end || (place(a) < place(b) ? -1 : 1))
}

/** A trigger that misses events from the beginning, of no resource in particular, counts from the moment it is there. */
async function openInitialBuckets(tx: Tx, automations: LoadedAutomations, now: Micros): Promise<void> {
  const waiting = automations.triggers.filter(
    ({ trigger }) => trigger.posture === 'Proactive' && trigger.after.length === 0 && trigger.for_each.length === 0,
  )
  const buckets = await BucketBuffer.read(
    tx,
    waiting.map((registered) => bucketSlot(registered, [])),
  )
  for (const registered of waiting) {
    const slot = bucketSlot(registered, [])
    const first: Bucket = { start: now, end: addSeconds(now, registered.trigger.within), count: 0, lastEvent: null }
    if (!buckets.get(slot)) buckets.set(slot, registered, [], first)
  }
  await buckets.write(tx)
}

const labelValues = ({ trigger }: RegisteredTrigger<EventTrigger>, key: readonly string[]): Record<string, string> =>
  Object.fromEntries(groupingLabels(trigger).map((label, index) => [label, key[index] as string]))
