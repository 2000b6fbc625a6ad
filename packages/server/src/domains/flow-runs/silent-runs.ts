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
}

/** A heartbeat may be this late: events are sent in the background and travel. */
const marginSeconds = 5

/** Looked at in one pass at most; those that have been silent for longest come first. */
const runsMax = 50_000

const overdue = statement(
  `select heartbeat.flow_run_id as id, heartbeat.state_id, heartbeat.received, heartbeat.occurred, heartbeat.spacing
    from flow_run_heartbeat heartbeat join flow_run on flow_run.id = heartbeat.flow_run_id
    where flow_run.state_type = 'RUNNING' and flow_run.state_id = heartbeat.state_id and heartbeat.received < $1 - coalesce(heartbeat.spacing, cast($2 as bigint))
    order by heartbeat.received limit $3`,
)

export const readSilentRuns = (db: Db, now: Micros): Promise<SilentRun[]> => db.all<SilentRun>(overdue, [now, shortestSpacing, runsMax])

/** How long a run may be silent before its process counts as gone. */
export function patienceFor({ config }: Parts, { spacing }: Pick<SilentRun, 'spacing'>): Micros {
  const { missed_heartbeats, first_heartbeat_seconds } = config.services.zombie_detection
  return spacing === null ? first_heartbeat_seconds * MICROS_PER_SECOND : addSeconds(missed_heartbeats * spacing, marginSeconds)
}

/** Why a run is crashed, for people. */
export function silenceMessage({ received, spacing }: SilentRun, now: Micros): string {
  const silent = Math.floor(secondsBetween(received, now))
  const expected = spacing === null ? 'after the first one' : `expected one every ${Math.round(spacing / MICROS_PER_SECOND)} s`
  return `No heartbeat for ${silent} s, ${expected}: the process of this run is gone.`
}
