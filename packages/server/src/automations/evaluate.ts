import type { EventTrigger } from '@millrace/contracts/trigger.ts'
import { advanceCursor, cursorOfConsumer, headOfLog, readEventsAfter } from '../events/cursor.ts'
import type { EventRow } from '../events/store.ts'
import { addSeconds, type Micros } from '../lib/time.ts'
import { type Db, statement, type Tx } from '../storage/database.ts'
import { type ActingContext, perServer } from '../storage/server-context.ts'
import { toBoolean } from '../storage/tables.ts'
import { BucketBuffer, bucketSlot, type DueBucket, hasEndedBucket, readDueBuckets, removeBuckets, sweepBuckets } from './bucket-buffer.ts'
import { type Chain, canExtendChain, readEventChains, sweepChains } from './chain.ts'
import type { FiringLimits } from './firing-limits.ts'
import { sweepUsage } from './firing-usage.ts'
import { HeldEvents, holdsEvents } from './held-events.ts'
import { type LoadedAutomations, loadedAutomations, type RegisteredTrigger } from './loaded-automations.ts'
import { type TriggerMatch, TriggerMatcher } from './match-triggers.ts'
import { holdEvents, type ReorderResult, releaseEvents, reorderEvents } from './reorder-buffer.ts'
import { StepOutcome } from './step-outcome.ts'
import { revisionOfAutomations } from './store.ts'
import { resumeDue } from './suspension.ts'
import { type Bucket, evaluateEvent, evaluateTime } from './triggers/event.ts'
import { groupingLabels, type TriggerEvent } from './triggers/matching.ts'

/** The name of the cursor in `event_cursor`. */
const cursor = 'automations'

/** Bounds one step, so that its transaction stays short. */
const defaultEventsMax = 200
const bucketsMax = 500
/**
 * Events without a matching trigger advance the cursor only every 2,000 positions or five minutes, so that they cost no write each. A restart reads them again
 * without effect. `millrace doctor` warns about a cursor that stands before an event for ten minutes.
 */
const skippedMax = 2000
const skippedSeconds = 300

export interface EvaluationReport {
  readonly events: number
  readonly fired: number
  /** Whether ended periods were evaluated. This happens only after the last event of the log was read. */
  readonly checkedBuckets: boolean
  /** Whether the next step has work already. */
  readonly more: boolean
}

/** How far the log was read beyond the cursor without a matching trigger. */
const skipState = perServer((): { seen: number; read: number; since: Micros } => ({ seen: -1, read: -1, since: 0 }))

/**
 * Evaluates all triggers for the next events of the log and, at its end, for the periods that are over. Counts, firings and the cursor are written in one
 * transaction, so that a crash neither loses nor repeats an event. With several servers, the first to advance the cursor wins; the others write nothing.
 */
export async function evaluateStep(context: ActingContext, eventsMax = defaultEventsMax): Promise<EvaluationReport> {
  const { reads, commands, clock } = context
  const now = clock.now()
  const sweepUntil = addSeconds(now, -context.config.automations.expired_bucket_buffer_seconds)
  const { head, seen, revision, hasEnded } = await readState(reads, now, sweepUntil)
  const automations = await loadedAutomations(context, revision)
  const skipped = skipState(context)
  const from = skipped.seen === seen ? Math.max(seen, skipped.read) : seen
  if (automations.resumeAt !== null && automations.resumeAt <= now) {
    await commands.submit(resumeDue(context, now))
    return { events: 0, fired: 0, checkedBuckets: false, more: true }
  }
  const hasNoTriggers = automations.triggers.length === 0
  const rows = hasNoTriggers ? [] : await readEventsAfter(reads, from, eventsMax)
  const drained = rows.length < eventsMax
  const read = hasNoTriggers ? Math.max(from, head) : (rows.at(-1)?.position ?? from)
  const matcher = new TriggerMatcher(automations)
  const matchesByRow = new Map<EventRow, TriggerMatch[]>()
  for (const row of rows) matchesByRow.set(row, await matcher.match(row))
  const reordered = hasNoTriggers ? nothingToReorder : await reorderEvents(reads, rows, (row) => matchesByRow.get(row)?.length !== 0, now)
  const matches: OrderedMatch[] = []
  for (const { row, at, position } of reordered.ready) {
    for (const match of matchesByRow.get(row) ?? (await matcher.match(row))) matches.push({ ...match, place: { at, position } })
  }
  const { tooCostly } = matcher
  const chains = await readEventChains(reads, [...new Set(matches.map(({ event }) => event))])
  const checkBuckets = drained && (!automations.hasInitialBuckets || hasEnded)
  const reorderedCount = reordered.held.length + reordered.released.length
  const since = skipped.seen === seen && skipped.read > seen ? skipped.since : now
  const maySkip = read - seen < skippedMax && (read === seen || now < addSeconds(since, skippedSeconds))
  if (matches.length + reorderedCount + tooCostly.size === 0 && !checkBuckets && maySkip) {
    Object.assign(skipped, { seen, read, since })
    return { events: 0, fired: 0, checkedBuckets: false, more: !drained }
  }

  const step = await commands.submit(async (tx) => {
    if (!(await advanceCursor(tx, cursor, seen, read))) return undefined
    const outcome = new StepOutcome(context, tx, { automations, now, events: reordered.ready.map(({ row }) => row) })
    for (const [automation, reason] of tooCostly) outcome.limits.suspend(automation, reason)
    const released = await releaseEvents(tx, reordered.released)
    await holdEvents(tx, reordered.held)
    // Another server may have released a held event first.
    const isOurs = ({ event: { position } }: TriggerMatch) => position > from || released.has(position)
    await evaluateEvents(tx, matches.filter(isOurs), chains, outcome)
    const checked = checkBuckets ? await evaluateDueBuckets(tx, automations, { now, read, sweepUntil }, outcome) : 0
    await outcome.write()
    return { fired: outcome.fired, more: checked === bucketsMax }
  })
  if (!step) return { events: 0, fired: 0, checkedBuckets: false, more: true }
  if (checkBuckets) automations.hasInitialBuckets = true
  return {
    events: matches.length,
    fired: step.fired,
    checkedBuckets: checkBuckets,
    more: !drained || step.more || step.fired > 0 || tooCostly.size > 0,
  }
}

const evaluationState = statement(
  `select ${cursorOfConsumer} as seen, ${headOfLog} as head, ${revisionOfAutomations} as revision,
    ${hasEndedBucket('$2', '$3')} or ${hasEndedBucket('$4', '$5')} as has_ended`,
)

interface EvaluationState {
  readonly head: number
  readonly seen: number
  readonly revision: number
  /** Whether a period is over that must be evaluated or removed. */
  readonly hasEnded: boolean
}

/**
 * One statement, because every commit with events leads to it on every server. The automations are read later: one that is created in between ignores the
 * events before it.
 */
async function readState(reads: Db, now: Micros, sweepUntil: Micros): Promise<EvaluationState> {
  type StateRow = { seen: number | null; head: number; revision: number; has_ended: boolean | number }
  const row = await reads.first<StateRow>(evaluationState, [cursor, true, now, false, sweepUntil])
  if (!row || row.seen === null) throw new Error(`event cursor "${cursor}" not found; run the database migrations`)
  return { head: Number(row.head), seen: row.seen, revision: row.revision, hasEnded: toBoolean(row.has_ended) }
}

const nothingToReorder: ReorderResult = { ready: [], held: [], released: [] }

/** A match with its position after reordering. */
type OrderedMatch = TriggerMatch & { readonly place: { readonly at: Micros; readonly position: number } }

async function evaluateEvents(
  tx: Tx,
  matches: readonly OrderedMatch[],
  chains: ReadonlyMap<TriggerEvent, Chain>,
  outcome: StepOutcome,
): Promise<void> {
  const { limits } = outcome
  await creditCatchAll(matches, chains, limits)
  const buckets = await BucketBuffer.read(
    tx,
    matches.map(({ slot }) => slot),
  )
  const held = await HeldEvents.read(
    tx,
    matches.flatMap(({ registered, slot }) => (holdsEvents(registered.trigger) ? [slot] : [])),
  )
  for (const match of matches) {
    const { registered, event, slot, key, place } = match
    const chain = chains.get(event) ?? []
    if (limits.isSuspended(registered.automation.id)) continue
    if (!canExtendChain(chain, registered.automation.id)) {
      outcome.notFired(registered.automation, 'Skipped: the event was caused by this automation or by one it triggered.')
      continue
    }
    const step = evaluateEvent(registered.trigger, buckets.get(slot), match, (start, end) => held.countWithin(slot, start, end))
    if (isHeld(match)) held.hold(slot, registered, key, event.occurred)
    buckets.set(slot, registered, key, step.bucket)
    if (step.fired) await outcome.fire(registered, { ...step.fired, labels: labelValues(registered, key) }, place, chain)
    else outcome.notFired(registered.automation, step.reason)
  }
  await buckets.write(tx)
  await held.write(tx)
}

/** An event that starts a period counts in none before it. */
const isHeld = ({ registered: { trigger }, isExpected, startsPeriod }: TriggerMatch): boolean => holdsEvents(trigger) && isExpected && !startsPeriod

/** Events that no automation caused raise the budget of the automations that match every event. */
async function creditCatchAll(matches: readonly OrderedMatch[], chains: ReadonlyMap<TriggerEvent, Chain>, limits: FiringLimits): Promise<void> {
  const external = matches.filter(({ registered, event }) => registered.automation.catchesAll && (chains.get(event) ?? []).length === 0)
  for (const { place } of new Map(external.map((match) => [match.event, match])).values()) await limits.credit(1, place.at)
}

interface StepTime {
  readonly now: Micros
  readonly read: number
  readonly sweepUntil: Micros
}

/** Fires proactive triggers whose period is over. Returns how many periods were evaluated. */
async function evaluateDueBuckets(
  tx: Tx,
  automations: LoadedAutomations,
  { now, read, sweepUntil }: StepTime,
  outcome: StepOutcome,
): Promise<number> {
  if (!automations.hasInitialBuckets) await openInitialBuckets(tx, automations, now)
  const due = sortDueBuckets(await readDueBuckets(tx, now, bucketsMax), automations)
  const buckets = await BucketBuffer.read(
    tx,
    due.map(({ slot }) => slot),
  )
  const orphaned: string[] = []
  for (const { slot, triggerId, key, bucket } of due) {
    const registered = automations.byId(triggerId)
    if (!registered || outcome.limits.isSuspended(registered.automation.id)) {
      orphaned.push(slot)
      continue
    }
    const step = evaluateTime(registered.trigger, bucket, now)
    buckets.set(slot, registered, key, step.bucket)
    if (step.fired) await outcome.fire(registered, { ...step.fired, labels: labelValues(registered, key) }, { at: bucket.end, position: read }, [])
    else outcome.notFired(registered.automation, step.reason)
  }
  await buckets.write(tx)
  if (orphaned.length > 0) await removeBuckets(tx, orphaned)
  await sweepBuckets(tx, sweepUntil)
  await sweepChains(tx, now)
  await sweepUsage(tx, now)
  return due.length
}

/** Sorts periods that ended together by trigger order, because a sequence depends on which trigger fired first. */
function sortDueBuckets(due: readonly DueBucket[], automations: LoadedAutomations): DueBucket[] {
  const sortKey = ({ triggerId, key }: DueBucket): string => `${String(automations.orderOf(triggerId)).padStart(9, '0')} ${key.join(' ')}`
  return [...due].sort((a, b) => a.bucket.end - b.bucket.end || (sortKey(a) < sortKey(b) ? -1 : 1))
}

/** Opens the first period of proactive triggers that have neither `after` nor `for_each`: no event opens it for them. */
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
