import type { Recorder } from '../../events/ingest.ts'
import type { ConnectionObserver } from '../../events/socket.ts'
import type { EventRecord } from '../../lib/event-record.ts'
import { parseUuid } from '../../lib/ids.ts'
import { MICROS_PER_SECOND, type Micros } from '../../lib/time.ts'
import { statement } from '../../storage/database.ts'
import { perServer } from '../../storage/server-context.ts'
import type { Row } from '../../storage/tables.ts'

const eventName = 'prefect.flow-run.heartbeat'
const resourcePrefix = 'prefect.flow-run.'

/** Clients do not send heartbeats more often than this. */
export const heartbeatIntervalMin: Micros = 30 * MICROS_PER_SECOND

/** A longer gap means a suspended machine or a lost connection and says nothing about the interval. */
const heartbeatIntervalMax: Micros = 86_400 * MICROS_PER_SECOND

interface RunningRun {
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
 * Stores the last heartbeat of each running flow run, in the transaction that stores the events. Heartbeats of other runs are ignored: they arrive late,
 * after the end, or during a pause.
 */
export const heartbeatRecorder = perServer(({ clock, config }): Recorder => {
  const { enabled } = config.services.zombie_detection
  return async (tx, events) => {
    if (!enabled) return
    const times = heartbeatTimes(events)
    if (times.size === 0) return
    const runs = await tx.all<RunningRun>(runningWithLastHeartbeat, [tx.dialect.list([...times.keys()])])
    const received = clock.now()
    const rows = runs.map((run): Row<'flow_run_heartbeat'> => {
      const interval = updateInterval(run, times.get(run.id) ?? [])
      return { flow_run_id: run.id, state_id: run.state_id, received, disconnected: null, ...interval }
    })
    await tx.insert('flow_run_heartbeat', rows, {
      onConflict: `on conflict (flow_run_id) do update set state_id = excluded.state_id, received = excluded.received,
        occurred = excluded.occurred, spacing = excluded.spacing, disconnected = null`,
    })
  }
})

/** The id of the flow run, if the event is a heartbeat. */
export function heartbeatRunId({ event, resource }: Pick<EventRecord, 'event' | 'resource'>): string | undefined {
  if (event !== eventName) return undefined
  const id = resource['prefect.resource.id'] ?? ''
  return id.startsWith(resourcePrefix) ? parseUuid(id.slice(resourcePrefix.length)) : undefined
}

/** The times of the heartbeats of each run by the clock of its client, sorted. */
function heartbeatTimes(events: readonly EventRecord[]): Map<string, Micros[]> {
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

/** Maximum number of runs per connection. A connection belongs to one process, which has few runs. */
const runsMax = 1000

const markDisconnected = statement(
  (dialect) => `update flow_run_heartbeat set disconnected = $2 where ${dialect.inList('flow_run_id', '$1', 'uuid')}`,
)

/**
 * Records when the connection that carried the heartbeats of a run is lost: a killed process loses it immediately. It matters for runs with a single
 * heartbeat, whose interval is unknown. A live client connects again for its next heartbeat, which clears the record.
 */
export const heartbeatConnections = perServer(({ writeQueue, clock, config }): ConnectionObserver & { stop(): void } => {
  const { enabled } = config.services.zombie_detection
  let stopped = false
  return {
    open() {
      const runs = new Set<string>()
      return {
        onEvent(event) {
          const runId = enabled && runs.size < runsMax ? heartbeatRunId(event) : undefined
          if (runId) runs.add(runId)
        },
        async onClose() {
          if (stopped || runs.size === 0) return
          await writeQueue.submit((tx) => tx.run(markDisconnected, [tx.dialect.list([...runs]), clock.now()]))
        },
      }
    },
    /** Called at shutdown, when the server closes the connections itself. */
    stop() {
      stopped = true
    },
  }
})
