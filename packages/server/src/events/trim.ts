import type { ResourceLabels } from '../lib/event-record.ts'
import { earliestTime, type Micros } from '../lib/time.ts'
import { statement, type Tx } from '../storage/database.ts'
import { invalidateTrimmedSegments } from './segments/segment-store.ts'
import { dayMicros, startOfQuarterHour } from './time-buckets.ts'

interface TrimmedRow {
  readonly position: number
  readonly occurred: number
  readonly event: string
  readonly resource_id: string
  readonly related: string
}

const logTable = (rest: string | undefined): string => rest ?? 'event'

const oldest = statement(
  (dialect) =>
    `select position, occurred, event, resource_id, related from ${logTable(dialect.partitions?.defaultPartition('event'))} where occurred < $1 and occurred > $3 order by occurred limit $2 ${dialect.skipLocked}`,
)
const remove = statement((dialect) => `delete from event where ${dialect.inList('position', '$1', 'int')} and occurred >= $2 and occurred <= $3`)
const removeResources = statement(
  (dialect) => `delete from event_resource where ${dialect.inList('resource_id', '$1', 'text')} and occurred >= $3 and occurred <= $4
    and ${dialect.inList('event_position', '$2', 'int')}`,
)
const decrementRollup = statement('update event_tally set count = count - $3 where quarter = $1 and event = $2')
const removeEmptyRollups = statement('delete from event_tally where quarter >= $1 and quarter <= $2 and count <= 0')

/** Removes the oldest events between two instants, so many at most, with all that is kept beside them; how many there were. Tallies stay true. */
export async function trimEvents(tx: Tx, before: Micros, limit: number, after: Micros = earliestTime): Promise<number> {
  const rows = await tx.all<TrimmedRow>(oldest, [before, limit, after])
  const [first, last] = [rows[0], rows.at(-1)]
  if (!first || !last) return 0
  const positions = tx.dialect.list(rows.map(({ position }) => position))
  await tx.run(remove, [positions, first.occurred, last.occurred])
  await tx.run(removeResources, [tx.dialect.list([...new Set(rows.flatMap(resourcesOf))]), positions, first.occurred, last.occurred])
  for (const [quarter, event, count] of countByQuarterHour(rows)) await tx.run(decrementRollup, [quarter, event, count])
  await tx.run(removeEmptyRollups, [startOfQuarterHour(first.occurred), startOfQuarterHour(last.occurred)])
  await invalidateTrimmedSegments(tx, { since: first.occurred, until: last.occurred })
  return rows.length
}

const resourcesOf = ({ resource_id, related }: TrimmedRow): string[] => [
  resource_id,
  ...(JSON.parse(related) as ResourceLabels[]).map((resource) => resource['prefect.resource.id'] as string),
]

function countByQuarterHour(rows: readonly TrimmedRow[]): [quarter: number, event: string, count: number][] {
  const counts = new Map<string, [number, string, number]>()
  for (const { occurred, event } of rows) {
    const key = `${startOfQuarterHour(occurred)} ${event}`
    const known = counts.get(key) ?? [startOfQuarterHour(occurred), event, 0]
    known[2] += 1
    counts.set(key, known)
  }
  return [...counts.values()]
}

const sumRollups = statement('select coalesce(sum(count), 0) as count from event_tally where quarter >= $1 and quarter < $2')
const removeRollups = statement('delete from event_tally where quarter >= $1 and quarter < $2')

/** Where the log is cut by time, drops its oldest day between two instants; how many events it had, undefined when there was none. */
export async function dropOldestDayPartition(tx: Tx, before: Micros, after: Micros = earliestTime): Promise<number | undefined> {
  const parts = tx.dialect.partitions
  if (!parts) return undefined
  const drop = statement(parts.drop)
  const dropped = await tx.first<{ low: number }>(drop, ['event', dayMicros, after, before])
  if (!dropped) return undefined
  const end = dropped.low + dayMicros
  while (await tx.first(drop, ['event_resource', dayMicros, after, end]));
  const [{ count = 0 } = {}] = await tx.all<{ count: number }>(sumRollups, [dropped.low, end])
  await tx.run(removeRollups, [dropped.low, end])
  await invalidateTrimmedSegments(tx, { since: dropped.low, until: end - 1 })
  return Number(count)
}

/** Days for which the log has a place of its own before they come. */
const daysAhead = 3

/** Where the log is cut by time, makes the parts of today and of the days to come. */
export async function createDayPartitions(tx: Tx, now: Micros): Promise<number> {
  const parts = tx.dialect.partitions
  if (!parts) return 0
  const add = statement(parts.add)
  let added = 0
  for (let day = 0; day <= daysAhead; day += 1) {
    for (const table of ['event', 'event_resource']) {
      if ((await tx.first<{ added: boolean }>(add, [table, dayMicros, now + day * dayMicros]))?.added) added += 1
    }
  }
  return added
}
