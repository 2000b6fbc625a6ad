import { causeEvent } from '../workload/set-up.ts'
import type { World } from '../workload/world.ts'

interface OpenRun {
  readonly id: string
  readonly state_type: string
  readonly state_name: string
  readonly heartbeats: number
}

/** Runs that should have ended by now: all of them, because schedules are paused, except those that docs/crash-detection.md excludes. */
export function unfinishedRuns({ shared, ledger }: World): OpenRun[] {
  return (
    shared
      .rows<OpenRun>(
        `select r.id, r.state_type, r.state_name, (select count(*) from flow_run_heartbeat h where h.flow_run_id = r.id) as heartbeats
        from flow_run r where r.state_type not in ('COMPLETED', 'FAILED', 'CANCELLED', 'CRASHED') order by r.id`,
      )
      // A running run that never sent a heartbeat is left alone.
      .filter(({ id, state_type, heartbeats }) => !(ledger.killedRuns.has(id) && state_type === 'RUNNING' && heartbeats === 0))
  )
}

/** Whether events, actions and subscribers have caught up. */
export function isCaughtUp({ shared, ledger }: World): boolean {
  const [row] = shared.rows<{ head: number; waiting: number; causes: number; firings: number }>(
    `select (select coalesce(max(position), 0) from event) as head, (select count(*) from automation_invocation) as waiting,
      (select count(*) from event where event = '${causeEvent}') as causes,
      (select count(*) from event where event = 'prefect.automation.triggered') as firings`,
  )
  return (
    row !== undefined &&
    row.waiting === 0 &&
    row.firings >= 2 * row.causes &&
    ledger.received.every((received) => (received.at(-1) ?? 0) === row.head)
  )
}
