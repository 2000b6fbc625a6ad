import type { EventRecord } from '../lib/event-record.ts'
import { parseUuid } from '../lib/ids.ts'
import { MICROS_PER_SECOND, type Micros } from '../lib/time.ts'
import { statement, type Tx } from '../storage/database.ts'
import type { Row } from '../storage/tables.ts'

const eventName = 'prefect.flow-run.heartbeat'
const resourcePrefix = 'prefect.flow-run.'

/** Clients do not send heartbeats more often than this. */
export const heartbeatIntervalMin: Micros = 30 * MICROS_PER_SECOND

/** A longer gap means a suspended machine or a lost connection and says nothing about the interval. */
const heartbeatIntervalMax: Micros = 86_400 * MICROS_PER_SECOND

export interface RunningRun {
  readonly id: string
  readonly state_id: string
  readonly last_state_id: string | null
  readonly occurred: Micros | null
  readonly spacing: Micros | null
}

const runningWithLastHeartbeat = statement(
  (dialect) => `select flow_run.id, flow_run.state_id, last.state_id as last_state_id, last.occurred, last.spacing
    from flow_run left join flow_run_heartbeat last on last.flow_run_id = flow_run.id
    where ${dialect.inList('flow_run.id', '$1', 'uuid')} and flow_run.state_type = 'RUNNING' order by flow_run.id`,
)

/** Reads the last heartbeats of running flow runs. Heartbeats of other runs are ignored: they arrive late, after the end, or during a pause. */
export const readHeartbeats = (tx: Tx, runIds: readonly string[]): Promise<RunningRun[]> =>
  tx.all<RunningRun>(runningWithLastHeartbeat, [tx.dialect.list(runIds)])

/** The conflict clause of their insert. */
export const replaceHeartbeat = `on conflict (flow_run_id) do update set state_id = excluded.state_id, received = excluded.received,
  occurred = excluded.occurred, spacing = excluded.spacing, disconnected = null`

/** The last heartbeat of a running flow run after more of them. */
export const heartbeatRow = (run: RunningRun, times: readonly Micros[], received: Micros): Row<'flow_run_heartbeat'> => ({
  flow_run_id: run.id,
  state_id: run.state_id,
  received,
  disconnected: null,
  ...updateInterval(run, times),
})

/** The id of the flow run, if the event is a heartbeat. */
export function heartbeatRunId({ event, resource }: Pick<EventRecord, 'event' | 'resource'>): string | undefined {
  if (event !== eventName) return undefined
  const id = resource['prefect.resource.id'] ?? ''
  return id.startsWith(resourcePrefix) ? parseUuid(id.slice(resourcePrefix.length)) : undefined
}

/** The times of the heartbeats of each run by the clock of its client, sorted. */
export function heartbeatTimes(events: readonly EventRecord[]): Map<string, Micros[]> {
  const times = new Map<string, Micros[]>()
  for (const event of events) {
    const runId = heartbeatRunId(event)
    if (runId) times.set(runId, [...(times.get(runId) ?? []), event.occurred])
  }
  for (const each of times.values()) each.sort((a, b) => a - b)
  return times
}

/** The interval after more heartbeats. It starts again in each state, because another process with other settings may send them. */
function updateInterval(run: RunningRun, times: readonly Micros[]): { occurred: Micros; spacing: Micros | null } {
  const isSameState = run.last_state_id === run.state_id
  let occurred = isSameState ? run.occurred : null
  let spacing = isSameState ? run.spacing : null
  for (const time of times) {
    if (occurred !== null && time > occurred) spacing = nextHeartbeatInterval(spacing, time - occurred)
    occurred = time
  }
  return { occurred: occurred as Micros, spacing }
}

/**
 * The interval after one more heartbeat; clients do not send it. A longer interval applies immediately, so that no run is crashed too early. A shorter
 * one moves the interval by half of the difference, so that a lost heartbeat is averaged out after a few others.
 */
export function nextHeartbeatInterval(before: Micros | null, observed: Micros): Micros | null {
  if (observed > heartbeatIntervalMax) return before
  const spacing = Math.max(observed, heartbeatIntervalMin)
  return before === null || spacing >= before ? spacing : Math.round((before + spacing) / 2)
}
