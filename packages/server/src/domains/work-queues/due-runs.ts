import { type Micros, toMicros } from '../../lib/time.ts'
import { type Db, type Statement, statement } from '../../storage/database.ts'
import type { Dialect } from '../../storage/dialect.ts'
import type { Row } from '../../storage/tables.ts'

/** Bounds of the scheduled time, both included. */
export interface DueRange {
  readonly after: Micros
  readonly before: Micros
}

/** From times as they were sent; without one there is no bound. */
export const dueRange = (after: string | null, before: string | null): DueRange => ({
  after: after === null ? Number.MIN_SAFE_INTEGER : toMicros(after),
  before: before === null ? Number.MAX_SAFE_INTEGER : toMicros(before),
})

/** How many runs a queue may give at most. */
export interface QueueCapacity {
  readonly id: string
  readonly max: number
}

type FlowRunRow = Row<'flow_run'>
type DueRun = FlowRunRow & { readonly place: number }

/** Queues asked in one statement; each is one range of the index, so that waiting runs cost nothing however many there are. */
const queuesMax = 16

/** A run that is retried within its process has somebody who runs it already. */
const notRetriedInProcess = (dialect: Dialect) => `coalesce(${dialect.jsonText('empirical_policy', 'retry_type')}, '') <> 'in_process'`

const branch = (dialect: Dialect, place: number): string =>
  `select * from (select flow_run.*, ${place} as place from flow_run
    where work_queue_id = $${2 * place + 3} and state_type = 'SCHEDULED' and next_scheduled_start_time >= $1 and next_scheduled_start_time <= $2
      and ${notRetriedInProcess(dialect)}
    order by next_scheduled_start_time limit $${2 * place + 4}) queue_${place}`

const fromOneQueue = statement((dialect) => branch(dialect, 0))
const fromMany = new Map<number, Statement>()

/** The text for a number of queues. It differs with the number alone, so that a handful of texts stay prepared. */
function fromQueues(count: number): Statement {
  if (count === 1) return fromOneQueue
  let known = fromMany.get(count)
  if (!known) {
    known = statement((dialect) => {
      const branches = Array.from({ length: count }, (_, place) => branch(dialect, place))
      return `${branches.join(' union all ')} order by place, next_scheduled_start_time`
    })
    fromMany.set(count, known)
  }
  return known
}

/**
 * Runs that are due, by the order of the queues and then by time. The first queue is asked alone: where there is more work than
 * is asked for it has all of it, and the runs of the others need not be read.
 */
export async function readDueRuns(db: Db, rooms: readonly QueueCapacity[], range: DueRange, limit: number): Promise<FlowRunRow[]> {
  const found: FlowRunRow[] = []
  for (let at = 0; at < rooms.length && found.length < limit; ) {
    const asked = rooms.slice(at, at === 0 ? 1 : at + queuesMax)
    const values = asked.flatMap(({ id, max }) => [id, Math.min(max, limit - found.length)])
    found.push(...(await db.all<DueRun>(fromQueues(asked.length), [range.after, range.before, ...values])))
    at += asked.length
  }
  return found.slice(0, limit)
}

const runsByQueueName = statement(
  (dialect) => `select * from flow_run where work_queue_id is null and work_queue_name = $1 and state_type = 'SCHEDULED'
    and next_scheduled_start_time >= $2 and next_scheduled_start_time <= $3 and ${notRetriedInProcess(dialect)} order by next_scheduled_start_time limit $4`,
)

/** Due runs that know their queue by name alone, as theirs was deleted. */
export const readDueRunsByName = (db: Db, queueName: string, range: DueRange, limit: number): Promise<FlowRunRow[]> =>
  db.all<FlowRunRow>(runsByQueueName, [queueName, range.after, range.before, limit])
