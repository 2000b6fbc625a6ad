import { addSeconds, MICROS_PER_SECOND, type Micros, secondsBetween } from '../../lib/time.ts'
import { type Db, statement, type Tx } from '../../storage/database.ts'
import type { ServerContext } from '../../storage/server-context.ts'
import { heartbeatIntervalMin } from './record-heartbeats.ts'

/** A running flow run whose next heartbeat is overdue. */
export interface SilentRun {
  readonly id: string
  readonly state_id: string
  /** When its last heartbeat came, by the clock of the server. */
  readonly received: Micros
  /** The same by the clock of its client. */
  readonly occurred: Micros
  /** The time between two of its heartbeats; null when only one was seen. */
  readonly spacing: Micros | null
  /** When the connection was lost by which it came. */
  readonly disconnected: Micros | null
}

/** How often clients send heartbeats unless they are told otherwise. */
const defaultHeartbeatInterval: Micros = 180 * MICROS_PER_SECOND

/** A heartbeat may be this late: events are sent in the background and travel. */
const marginSeconds = 5

/** Looked at in one pass at most; those that have been silent for longest come first. */
const runsMax = 50_000

/** Without the runs themselves: this is asked every few seconds, and almost none of them is overdue. */
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

/** Runs that may have ended since their last heartbeat. */
export const readOverdueHeartbeats = (db: Db, now: Micros): Promise<SilentRun[]> =>
  db.all<SilentRun>(overdueHeartbeats, [now, heartbeatIntervalMin, runsMax])

/** Those of the runs that have left the state in which they sent their last heartbeat. */
export async function filterLeftState(db: Db, runs: readonly SilentRun[]): Promise<SilentRun[]> {
  const states = new Set((await db.all<{ state_id: string }>(runningIn, [db.dialect.list(runs.map(({ id }) => id))])).map(({ state_id }) => state_id))
  return runs.filter(({ state_id }) => !states.has(state_id))
}

/** Removes what is known of the heartbeats of runs in states that they have left. Not done with the transition itself, which should not wait for it. */
export const deleteHeartbeats = (tx: Tx, runs: readonly SilentRun[], now: Micros): Promise<number> =>
  tx.run(removeHeartbeats, [tx.dialect.list(runs.map(({ id }) => id)), now - heartbeatIntervalMin])

/**
 * How long a run may be silent before its process counts as gone. A run that sent a single heartbeat may send the next one whenever its settings say; once
 * its connection is lost too it is taken to send them as often as most.
 */
export function heartbeatTimeout({ config }: ServerContext, { received, spacing, disconnected }: SilentRun): Micros {
  const { missed_heartbeats, first_heartbeat_seconds } = config.services.zombie_detection
  if (spacing !== null) return addSeconds(missed_heartbeats * spacing, marginSeconds)
  const first = first_heartbeat_seconds * MICROS_PER_SECOND
  return disconnected === null
    ? first
    : Math.min(first, addSeconds(disconnected - received + missed_heartbeats * defaultHeartbeatInterval, marginSeconds))
}

/** Why a run is crashed, for people. */
export function crashMessage({ received, spacing, disconnected }: SilentRun, now: Micros): string {
  const silent = `No heartbeat for ${Math.floor(secondsBetween(received, now))} s`
  const gone = 'the process of this run is gone.'
  if (spacing !== null) return `${silent}, expected one every ${Math.round(spacing / MICROS_PER_SECOND)} s: ${gone}`
  return disconnected === null ? `${silent} after the first one: ${gone}` : `${silent}, and its connection was lost: ${gone}`
}
