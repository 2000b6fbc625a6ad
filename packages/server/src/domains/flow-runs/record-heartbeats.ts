import type { Recorder } from '../../events/ingest.ts'
import type { ConnectionObserver } from '../../events/socket.ts'
import type { EventRecord } from '../../lib/event-record.ts'
import { parseUuid } from '../../lib/ids.ts'
import { MICROS_PER_SECOND, type Micros } from '../../lib/time.ts'
import { statement } from '../../storage/database.ts'
import { perServer } from '../../storage/per-server.ts'
import type { Row } from '../../storage/tables.ts'

const eventName = 'prefect.flow-run.heartbeat'
const resourcePrefix = 'prefect.flow-run.'

/** Clients do not send heartbeats more often than this, whatever their settings say. */
export const heartbeatIntervalMin: Micros = 30 * MICROS_PER_SECOND

/** A client that was away for longer was suspended or had no connection: that says nothing of how often it sends heartbeats. */
const heartbeatIntervalMax: Micros = 86_400 * MICROS_PER_SECOND

interface KnownHeartbeat {
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

/**
 * Keeps the last heartbeat of each running flow run, in the transaction that keeps the events. Heartbeats of runs that are not running are events like
 * any other: they come late, after the end, or while a run is paused.
 */
export const heartbeatRecorder = perServer(({ clock, config }): Recorder => {
  const { enabled } = config.services.zombie_detection
  return async (tx, events) => {
    if (!enabled) return
    const times = heartbeatTimes(events)
    if (times.size === 0) return
    const runs = await tx.all<KnownHeartbeat>(runningWithLastHeartbeat, [tx.dialect.list([...times.keys()])])
    const received = clock.now()
    const rows = runs.map((run): Row<'flow_run_heartbeat'> => {
      const learned = updateInterval(run, times.get(run.id) ?? [])
      return { flow_run_id: run.id, state_id: run.state_id, received, disconnected: null, ...learned }
    })
    await tx.insert('flow_run_heartbeat', rows, {
      onConflict: `on conflict (flow_run_id) do update set state_id = excluded.state_id, received = excluded.received,
        occurred = excluded.occurred, spacing = excluded.spacing, disconnected = null`,
    })
  }
})

/** The flow run that an event is a heartbeat of. */
export function heartbeatRunId({ event, resource }: Pick<EventRecord, 'event' | 'resource'>): string | undefined {
  if (event !== eventName) return undefined
  const id = resource['prefect.resource.id'] ?? ''
  return id.startsWith(resourcePrefix) ? parseUuid(id.slice(resourcePrefix.length)) : undefined
}

/** When the heartbeats of each run occurred by the clock of its client, in that order. */
function heartbeatTimes(events: readonly EventRecord[]): Map<string, Micros[]> {
  const times = new Map<string, Micros[]>()
  for (const event of events) {
    const runId = heartbeatRunId(event)
    if (runId) times.set(runId, [...(times.get(runId) ?? []), event.occurred])
  }
  for (const each of times.values()) each.sort((a, b) => a - b)
  return times
}

/** What is known after more heartbeats. What was known in another state of the run is forgotten: another process may send them now, by other settings. */
function updateInterval(known: KnownHeartbeat, times: readonly Micros[]): { occurred: Micros; spacing: Micros | null } {
  const isSameState = known.last_state_id === known.state_id
  let occurred = isSameState ? known.occurred : null
  let spacing = isSameState ? known.spacing : null
  for (const time of times) {
    if (occurred !== null && time > occurred) spacing = nextHeartbeatInterval(spacing, time - occurred)
    occurred = time
  }
  return { occurred: occurred as Micros, spacing }
}

/**
 * The time between heartbeats after one more was seen. Clients do not tell it. A longer one counts at once, so that no run is judged by less than it needs;
 * shorter ones pull it down by half of the difference, so that a heartbeat that was lost is forgotten after a few others.
 */
export function nextHeartbeatInterval(before: Micros | null, seen: Micros): Micros | null {
  if (seen > heartbeatIntervalMax) return before
  const spacing = Math.max(seen, heartbeatIntervalMin)
  return before === null || spacing >= before ? spacing : Math.round((before + spacing) / 2)
}

/** A connection belongs to one process; more runs than this do not send heartbeats by one. */
const runsMax = 1000

const markDisconnected = statement(
  (dialect) => `update flow_run_heartbeat set disconnected = $2 where ${dialect.inList('flow_run_id', '$1', 'uuid')}`,
)

/**
 * Notes when the connection is lost by which a run sends its heartbeats: a process that is killed loses it at once. It counts for runs that sent one heartbeat so
 * far: of others it is known how often they send them. A client that lives connects again for its next heartbeat, and that is forgotten.
 */
export const heartbeatConnections = perServer(({ writeQueue, clock, config }): ConnectionObserver & { stop(): void } => {
  const { enabled } = config.services.zombie_detection
  let stopped = false
  return {
    open() {
      const runs = new Set<string>()
      return {
        heard(event) {
          const runId = enabled && runs.size < runsMax ? heartbeatRunId(event) : undefined
          if (runId) runs.add(runId)
        },
        async closed() {
          if (stopped || runs.size === 0) return
          await writeQueue.submit((tx) => tx.run(markDisconnected, [tx.dialect.list([...runs]), clock.now()]))
        },
      }
    },
    /** This server ends: it closes the connections itself. */
    stop() {
      stopped = true
    },
  }
})
