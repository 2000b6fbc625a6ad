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

const oldest = statement(
  (dialect) =>
    `select position, occurred, event, resource_id, related from ${dialect.partitions?.defaultPartition('event') ?? 'event'} where occurred < $1 and occurred > $3 order by occurred limit $2 ${dialect.skipLocked}`,
)
const remove = statement((dialect) => `delete from event where ${dialect.inList('position', '$1', 'int')} and occurred >= $2 and occurred <= $3`)
const removeResources = statement(
  (dialect) => `delete from event_resource where ${dialect.inList('resource_id', '$1', 'text')} and occurred >= $3 and occurred <= $4
    and ${dialect.inList('event_position', '$2', 'int')}`,
)
const decrementRollup = statement('update event_tally set count = count - $3 where quarter = $1 and event = $2')
const removeEmptyRollups = statement('delete from event_tally where quarter >= $1 and quarter <= $2 and count <= 0')

/** Deletes up to `limit` of the oldest events in a range, with their resource index rows, rollup counts and segments. Returns how many. */
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
    const entry = counts.get(key) ?? [startOfQuarterHour(occurred), event, 0]
    entry[2] += 1
    counts.set(key, entry)
  }
  return [...counts.values()]
}

const sumRollups = statement('select coalesce(sum(count), 0) as count from event_tally where quarter >= $1 and quarter < $2')
const removeRollups = statement('delete from event_tally where quarter >= $1 and quarter < $2')

/** Drops the oldest day partition in a range. Returns the number of its events; undefined when there is none or no partitioning. */
export async function dropOldestDayPartition(tx: Tx, before: Micros, after: Micros = earliestTime): Promise<number | undefined> {
  const { partitions } = tx.dialect
  if (!partitions) return undefined
  const drop = statement(partitions.drop)
  const dropped = await tx.first<{ low: number }>(drop, ['event', dayMicros, after, before])
  if (!dropped) return undefined
  const end = dropped.low + dayMicros
  while (await tx.first(drop, ['event_resource', dayMicros, after, end]));
  const [{ count = 0 } = {}] = await tx.all<{ count: number }>(sumRollups, [dropped.low, end])
  await tx.run(removeRollups, [dropped.low, end])
  await invalidateTrimmedSegments(tx, { since: dropped.low, until: end - 1 })
  return Number(count)
}

/** Days for which partitions are created in advance. */
const daysAhead = 3

/** Creates the partitions of today and the coming days. Returns how many; 0 without partitioning. */
export async function createDayPartitions(tx: Tx, now: Micros): Promise<number> {
  const { partitions } = tx.dialect
  if (!partitions) return 0
  const add = statement(partitions.add)
  let added = 0
  for (let day = 0; day <= daysAhead; day += 1) {
    for (const table of ['event', 'event_resource']) {
      if ((await tx.first<{ added: boolean }>(add, [table, dayMicros, now + day * dayMicros]))?.added) added += 1
    }
  }
  return added
}
