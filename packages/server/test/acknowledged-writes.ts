import pg from 'pg'
import { loadEventName } from './event-load.ts'
import type { Acknowledged } from './failover-load.ts'

export interface WriteProblems {
  readonly lostRuns: number
  readonly doubleRuns: number
  readonly lostStates: number
  readonly doubleStates: number
  readonly lostEvents: number
  readonly doubleEvents: number
  /** States without their event. */
  readonly missingStateEvents: number
  /** Seconds of the schedule without a run. */
  readonly missedSeconds: number
  readonly doubleSeconds: number
}

interface Expected {
  readonly changes: readonly Acknowledged[]
  readonly eventIds: readonly string[]
  /** A deployment with a schedule that fires each second. */
  readonly deploymentId: string
}

/** Compares what servers have acknowledged with the rows of the database, and events with the response of a server. */
export async function findWriteProblems(
  databaseUrl: string,
  serverUrl: string,
  { changes, eventIds, deploymentId }: Expected,
): Promise<WriteProblems> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    const read = async (text: string, values: unknown[] = []): Promise<Map<string, number>> =>
      new Map((await client.query(text, values)).rows.map(({ key, count }) => [key, Number(count)]))
    const runs = changes.filter((change) => change.kind === 'run')
    const states = changes.filter((change) => change.kind === 'state')
    const ids = await read('select id::text as key, count(*) from flow_run group by 1')
    const keys = await read('select idempotency_key as key, count(*) from flow_run where idempotency_key is not null group by 1')
    const stored = await read(`select state_details ->> 'transition_id' as key, count(*) from flow_run_state group by 1`)
    // A scheduled run that becomes late has two states of one type.
    const types = await read(
      `select s.flow_run_id || ' ' || s.type as key, count(*) from flow_run_state s join flow_run r on r.id = s.flow_run_id
        where r.deployment_id is null group by 1`,
    )
    const events = await readEvents(serverUrl)
    const seconds = await read(
      `select (expected_start_time / 1000000)::text as key, count(*) from flow_run
        where deployment_id = $1 and expected_start_time <= extract(epoch from clock_timestamp()) * 1000000 group by 1`,
      [deploymentId],
    )
    const instants = [...seconds.keys()].map(Number)
    return {
      lostRuns: runs.filter(({ id, key }) => ids.get(id) !== 1 || keys.get(key) !== 1).length,
      doubleRuns: countDoubles(keys),
      lostStates: states.filter(({ transitionId }) => stored.get(transitionId) !== 1).length,
      doubleStates: countDoubles(types),
      lostEvents: eventIds.filter((id) => !events.has(id)).length,
      doubleEvents: countDoubles(events),
      missingStateEvents: states.filter((state) => !events.has(eventKey(state))).length,
      missedSeconds: instants.length === 0 ? 1 : Math.max(...instants) - Math.min(...instants) + 1 - instants.length,
      doubleSeconds: countDoubles(seconds),
    }
  } finally {
    await client.end()
  }
}

const countDoubles = (counts: ReadonlyMap<string, number>): number => [...counts.values()].filter((count) => count > 1).length

const eventKey = ({ runId, type }: { runId: string; type: string }): string =>
  `prefect.flow-run.${runId} prefect.flow-run.${type.charAt(0)}${type.slice(1).toLowerCase()}`

/** Counts events: those of the load by id, those of flow runs by run and name. */
async function readEvents(serverUrl: string): Promise<Map<string, number>> {
  const counts = new Map<string, number>()
  let next: string | null = null
  do {
    const response: Response = next
      ? await fetch(next)
      : await fetch(`${serverUrl}/api/events/filter`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ limit: 50, filter: { event: { prefix: [loadEventName, 'prefect.flow-run.'] } } }),
        })
    if (!response.ok) throw new Error(`events: ${response.status} ${await response.text()}`)
    const page = (await response.json()) as { events: { id: string; event: string; resource: Record<string, string> }[]; next_page: string | null }
    for (const { id, event, resource } of page.events) {
      const key = event === loadEventName ? id : `${resource['prefect.resource.id']} ${event}`
      counts.set(key, (counts.get(key) ?? 0) + 1)
    }
    next = page.next_page
  } while (next)
  return counts
}
