import type { EventTrigger } from '@millrace/contracts/trigger.ts'
import { moveCursor, readCursor, readEventsAfter, readHead } from '../events/cursor.ts'
import { addSeconds, type Micros } from '../lib/time.ts'
import type { Tx } from '../storage/database.ts'
import { perServer } from '../storage/per-server.ts'
import type { ServerContext } from '../storage/server-context.ts'
import { BucketBook, type DueBucket, isAnyDue, isAnyToSweep, readDueBuckets, removeBuckets, slotOf, sweepBuckets } from './bucket-book.ts'
import { type Chain, sweepChains } from './chain.ts'
import { type Concern, chainsOf, concernsOf, mayJoin } from './concerns.ts'
import { keepEarly, releaseEarly, type Turns, turnsOf } from './early-events.ts'
import type { FiringLimits } from './firing-limits.ts'
import { type LoadedAutomations, loadedAutomations, type Placed } from './loaded-automations.ts'
import { StepOutcome } from './step-outcome.ts'
import { resumeDue } from './suspension.ts'
import { type Bucket, passTime, showEvent } from './triggers/event.ts'
import { labelsOf } from './triggers/matching.ts'
import type { TriggerEvent } from './triggers/trigger-event.ts'
import { sweepUsage } from './usage.ts'

/** The name under which the position in the event log is kept. */
const cursor = 'automations'

/** Read in one step at most, so that nobody waits long behind it. */
const usualEventsMax = 200
const bucketsMax = 500
/** Events that no trigger cares for move the cursor only now and then; after a restart they are read again, to no effect. */
const skippedMax = 2000

export interface Evaluated {
  readonly events: number
  readonly fired: number
  /** Whether the periods that are over were looked at: only when there are no more events to read. */
  readonly timely: boolean
  /** Whether there is more to do at once. */
  readonly more: boolean
}

/** How far the log was read beyond the cursor without finding anything of interest. */
const skipping = perServer((): { seen: number; read: number } => ({ seen: -1, read: -1 }))

/**
 * One step of all triggers along the log: the next events, and, when there are no more, the periods that are over. What the triggers have counted, what
 * they fired and the position in the log are written in one transaction, so that an end at any moment loses nothing and repeats nothing. Whoever moves
 * the cursor first has the step; the others find it moved and have done nothing.
 */
export async function evaluateStep(context: ServerContext, eventsMax = usualEventsMax): Promise<Evaluated> {
  const { reads, writeQueue, clock } = context
  // Asked before the automations: one that is made later has nothing to do with events before it.
  const head = await readHead(reads)
  const automations = await loadedAutomations(context)
  const seen = await readCursor(reads, cursor)
  if (seen === undefined) throw new Error('the position of the automations in the event log is missing')
  const skipped = skipping(context)
  const from = skipped.seen === seen ? Math.max(seen, skipped.read) : seen
  const now = clock.now()
  if (automations.resumeAt !== null && automations.resumeAt <= now) {
    await writeQueue.submit(resumeDue(context, now))
    return { events: 0, fired: 0, timely: false, more: true }
  }
  const nobodyAsks = automations.triggers.length === 0
  const rows = nobodyAsks ? [] : await readEventsAfter(reads, from, eventsMax)
  const drained = rows.length < eventsMax
  const read = nobodyAsks ? Math.max(from, head) : (rows.at(-1)?.position ?? from)
  const known = new Map(rows.map((row) => [row, concernsOf(automations, row)]))
  const turns = nobodyAsks ? noTurns : await turnsOf(reads, rows, (row) => known.get(row)?.length !== 0, now)
  const concerns = turns.shown.flatMap(({ row, at, position }) =>
    (known.get(row) ?? concernsOf(automations, row)).map((concern) => ({ ...concern, place: { at, position } })),
  )
  const chains = await chainsOf(reads, [...new Set(concerns.map(({ event }) => event))])
  const sweepUntil = addSeconds(now, -context.config.automations.expired_bucket_buffer_seconds)
  const timely = drained && (!automations.begun || (await isAnyDue(reads, now)) || (await isAnyToSweep(reads, sweepUntil)))
  const kept = turns.early.length + turns.released.length
  if (concerns.length + kept === 0 && !timely && read - seen < skippedMax) {
    Object.assign(skipped, { seen, read })
    return { events: 0, fired: 0, timely, more: !drained }
  }

  const step = await writeQueue.submit(async (tx) => {
    if (!(await moveCursor(tx, cursor, seen, read))) return undefined
    const outcome = new StepOutcome(context, tx, { automations, now, shown: turns.shown.map(({ row }) => row) })
    const released = await releaseEarly(tx, turns.released)
    await keepEarly(tx, turns.early)
    const isOurs = ({ event: { position } }: Concern) => position > from || released.has(position)
    await weighEvents(tx, concerns.filter(isOurs), chains, outcome)
    const passed = timely ? await weighTime(tx, automations, { now, read, sweepUntil }, outcome) : 0
    await outcome.write()
    return { fired: outcome.fired, more: passed === bucketsMax }
  })
  if (!step) return { events: 0, fired: 0, timely: false, more: true }
  if (timely) automations.begun = true
  return { events: concerns.length, fired: step.fired, timely, more: !drained || step.more || step.fired > 0 }
}

const noTurns: Turns = { shown: [], early: [], released: [] }

/** Something that concerns a trigger, in its turn. */
type Turn = Concern & { readonly place: { readonly at: Micros; readonly position: number } }

async function weighEvents(tx: Tx, concerns: readonly Turn[], chains: ReadonlyMap<TriggerEvent, Chain>, outcome: StepOutcome): Promise<void> {
  const { limits } = outcome
  await earnForCatchAll(concerns, chains, limits)
  const book = await BucketBook.open(
    tx,
    concerns.map(({ slot }) => slot),
  )
  for (const { placed, event, slot, key, place } of concerns) {
    const chain = chains.get(event) ?? []
    if (limits.isSuspended(placed.automation.id)) continue
    if (!mayJoin(chain, placed.automation.id)) {
      outcome.quiet(placed.automation, 'The event was caused by an automation that this one led to, or by itself; a chain does not come back')
      continue
    }
    const step = showEvent(placed.trigger, book.get(slot), event)
    book.set(slot, placed, key, step.bucket)
    if (step.fired) await outcome.fire(placed, { ...step.fired, labels: labelled(placed, key) }, place, chain)
    else outcome.quiet(placed.automation, step.reason)
  }
  await book.write(tx)
}

/** The budget of automations that catch every event grows with the events that no automation caused. */
async function earnForCatchAll(concerns: readonly Turn[], chains: ReadonlyMap<TriggerEvent, Chain>, limits: FiringLimits): Promise<void> {
  const real = concerns.filter(({ placed, event }) => placed.automation.catchesAll && (chains.get(event) ?? []).length === 0)
  for (const { place } of new Map(real.map((concern) => [concern.event, concern])).values()) await limits.earn(1, place.at)
}

interface Moment {
  readonly now: Micros
  readonly read: number
  readonly sweepUntil: Micros
}

/** How many periods were looked at. */
async function weighTime(tx: Tx, automations: LoadedAutomations, { now, read, sweepUntil }: Moment, outcome: StepOutcome): Promise<number> {
  if (!automations.begun) await beginPeriods(tx, automations, now)
  const found = inOrder(await readDueBuckets(tx, now, bucketsMax), automations)
  const book = await BucketBook.open(
    tx,
    found.map(({ slot }) => slot),
  )
  const forgotten: string[] = []
  for (const { slot, triggerId, key, bucket } of found) {
    const placed = automations.byId(triggerId)
    if (!placed || outcome.limits.isSuspended(placed.automation.id)) {
      forgotten.push(slot)
      continue
    }
    const step = passTime(placed.trigger, bucket, now)
    book.set(slot, placed, key, step.bucket)
    if (step.fired) await outcome.fire(placed, { ...step.fired, labels: labelled(placed, key) }, { at: bucket.end, position: read }, [])
    else outcome.quiet(placed.automation, step.reason)
  }
  await book.write(tx)
  if (forgotten.length > 0) await removeBuckets(tx, forgotten)
  await sweepBuckets(tx, sweepUntil)
  await sweepChains(tx, now)
  await sweepUsage(tx, now)
  return found.length
}

/** Periods that ended together, in the order of their triggers: a sequence asks which fired first. */
function inOrder(found: readonly DueBucket[], automations: LoadedAutomations): DueBucket[] {
  const place = ({ triggerId, key }: DueBucket): string => `${String(automations.placeOf(triggerId)).padStart(9, '0')} ${key.join(' ')}`
  return [...found].sort((a, b) => a.bucket.end - b.bucket.end || (place(a) < place(b) ? -1 : 1))
}

/** A trigger that misses events from the beginning, of no resource in particular, counts from the moment it is there. */
async function beginPeriods(tx: Tx, automations: LoadedAutomations, now: Micros): Promise<void> {
  const waiting = automations.triggers.filter(
    ({ trigger }) => trigger.posture === 'Proactive' && trigger.after.length === 0 && trigger.for_each.length === 0,
  )
  const book = await BucketBook.open(
    tx,
    waiting.map((placed) => slotOf(placed, [])),
  )
  for (const placed of waiting) {
    const slot = slotOf(placed, [])
    const first: Bucket = { start: now, end: addSeconds(now, placed.trigger.within), count: 0, lastEvent: null }
    if (!book.get(slot)) book.set(slot, placed, [], first)
  }
  await book.write(tx)
}

const labelled = ({ trigger }: Placed<EventTrigger>, key: readonly string[]): Record<string, string> =>
  Object.fromEntries(labelsOf(trigger).map((label, index) => [label, key[index] as string]))
