import { addSeconds, MICROS_PER_SECOND, type Micros, secondsBetween } from '../../lib/time.ts'
import { type Db, statement } from '../../storage/database.ts'
import type { Parts } from '../../storage/parts.ts'
import { shortestSpacing } from './record-heartbeats.ts'

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
const usualSpacing: Micros = 180 * MICROS_PER_SECOND

/** A heartbeat may be this late: events are sent in the background and travel. */
const marginSeconds = 5

/** Looked at in one pass at most; those that have been silent for longest come first. */
const runsMax = 50_000

const overdue = statement(
  `select heartbeat.flow_run_id as id, heartbeat.state_id, heartbeat.received, heartbeat.occurred, heartbeat.spacing, heartbeat.disconnected
    from flow_run_heartbeat heartbeat join flow_run on flow_run.id = heartbeat.flow_run_id
    where flow_run.state_type = 'RUNNING' and flow_run.state_id = heartbeat.state_id and heartbeat.received < $1 - coalesce(heartbeat.spacing, cast($2 as bigint))
    order by heartbeat.received limit $3`,
)

export const readSilentRuns = (db: Db, now: Micros): Promise<SilentRun[]> => db.all<SilentRun>(overdue, [now, shortestSpacing, runsMax])

/**
 * How long a run may be silent before its process counts as gone. A run that sent a single heartbeat may send the next one whenever its settings say; once
 * its connection is lost too it is taken to send them as often as most.
 */
export function patienceFor({ config }: Parts, { received, spacing, disconnected }: SilentRun): Micros {
  const { missed_heartbeats, first_heartbeat_seconds } = config.services.zombie_detection
  if (spacing !== null) return addSeconds(missed_heartbeats * spacing, marginSeconds)
  const first = first_heartbeat_seconds * MICROS_PER_SECOND
  return disconnected === null ? first : Math.min(first, addSeconds(disconnected - received + missed_heartbeats * usualSpacing, marginSeconds))
}

/** Why a run is crashed, for people. */
export function silenceMessage({ received, spacing, disconnected }: SilentRun, now: Micros): string {
  const silent = `No heartbeat for ${Math.floor(secondsBetween(received, now))} s`
  const gone = 'the process of this run is gone.'
  if (spacing !== null) return `${silent}, expected one every ${Math.round(spacing / MICROS_PER_SECOND)} s: ${gone}`
  return disconnected === null ? `${silent} after the first one: ${gone}` : `${silent}, and its connection was lost: ${gone}`
}
