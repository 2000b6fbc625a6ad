import { addSeconds, MICROS_PER_SECOND, type Micros, secondsBetween } from '../../lib/time.ts'
import { heartbeatIntervalMin } from '../../runs/heartbeats.ts'
import { type Db, statement, type Tx } from '../../storage/database.ts'
import type { ServerContext } from '../../storage/server-context.ts'

/** A running flow run whose next heartbeat is overdue. */
export interface SilentRun {
  readonly id: string
  readonly state_id: string
  /** Time of the last heartbeat by the clock of the server. */
  readonly received: Micros
  /** Time of the last heartbeat by the clock of the client. */
  readonly occurred: Micros
  /** Interval between two heartbeats. Null after the first one. */
  readonly spacing: Micros | null
  /** Time at which the connection of the last heartbeat was lost. */
  readonly disconnected: Micros | null
}

/** The heartbeat interval of clients by default. */
const defaultHeartbeatInterval: Micros = 180 * MICROS_PER_SECOND

/** A heartbeat may be this late, because clients send events in the background. */
const marginSeconds = 5

/** Maximum number of runs per pass. The longest silent ones come first. */
const runsMax = 50_000

/** Does not join the runs: it runs every few seconds, and few heartbeats are overdue. */
const overdueHeartbeats = statement(
  `select flow_run_id as id, state_id, received, occurred, spacing, disconnected from flow_run_heartbeat
    where received < $1 - coalesce(spacing, cast($2 as bigint)) order by received limit $3`,
)
const runningIn = statement(
  (dialect) => `select state_id from flow_run where ${dialect.inList('id', '$1', 'uuid')} and state_type = 'RUNNING' and state_id is not null`,
)
const removeHeartbeats = statement(
  (dialect) => `delete from flow_run_heartbeat where ${dialect.inList('flow_run_id', '$1', 'uuid')} and received < $2`,
)

/** Overdue heartbeats. Some of their runs may have ended since. */
export const readOverdueHeartbeats = (db: Db, now: Micros): Promise<SilentRun[]> =>
  db.all<SilentRun>(overdueHeartbeats, [now, heartbeatIntervalMin, runsMax])

/** The runs that have left the state of their last heartbeat. */
export async function filterLeftState(db: Db, runs: readonly SilentRun[]): Promise<SilentRun[]> {
  const states = new Set((await db.all<{ state_id: string }>(runningIn, [db.dialect.list(runs.map(({ id }) => id))])).map(({ state_id }) => state_id))
  return runs.filter(({ state_id }) => !states.has(state_id))
}

/** Deletes the heartbeats of states that the runs have left. It is not part of the transition, to keep that fast. */
export const deleteHeartbeats = (tx: Tx, runs: readonly SilentRun[], now: Micros): Promise<number> =>
  tx.run(removeHeartbeats, [tx.dialect.list(runs.map(({ id }) => id)), now - heartbeatIntervalMin])

/**
 * How long a run may be silent before its process counts as gone. After a single heartbeat the interval is unknown. If the connection is lost as well,
 * the default interval applies.
 */
export function heartbeatTimeout({ config }: ServerContext, { received, spacing, disconnected }: SilentRun): Micros {
  const { missed_heartbeats, first_heartbeat_seconds } = config.services.zombie_detection
  if (spacing !== null) return addSeconds(missed_heartbeats * spacing, marginSeconds)
  const first = first_heartbeat_seconds * MICROS_PER_SECOND
  return disconnected === null
    ? first
    : Math.min(first, addSeconds(disconnected - received + missed_heartbeats * defaultHeartbeatInterval, marginSeconds))
}

/** The message of the crashed state. */
export function crashMessage({ received, spacing, disconnected }: SilentRun, now: Micros): string {
  const silent = `No heartbeat for ${Math.floor(secondsBetween(received, now))} s`
  const gone = 'the process of this run is gone.'
  if (spacing !== null) return `${silent}, expected one every ${Math.round(spacing / MICROS_PER_SECOND)} s: ${gone}`
  return disconnected === null ? `${silent} after the first one: ${gone}` : `${silent}, and its connection was lost: ${gone}`
}
