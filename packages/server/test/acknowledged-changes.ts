import { readRowsAfter } from '../src/events/segments/log-rows.ts'
import { SegmentRows } from '../src/events/segments/segment-rows.ts'
import type { EventRow } from '../src/events/store.ts'
import { type Db, statement } from '../src/storage/database.ts'
import type { Acknowledged } from './failover-load.ts'

/** Differences between what clients were told and what the database contains. All are 0 unless something was lost or done twice. */
export interface ChangeProblems {
  readonly lostRuns: number
  readonly doubleRuns: number
  readonly lostStates: number
  readonly doubleStates: number
  /** States whose event is missing. */
  readonly missingEvents: number
  readonly doubleEvents: number
  /** Events whose state is missing. */
  readonly strayEvents: number
  /** Runs whose current state is not the last one of their history. */
  readonly brokenRuns: number
}

export const noProblems: ChangeProblems = {
  lostRuns: 0,
  doubleRuns: 0,
  lostStates: 0,
  doubleStates: 0,
  missingEvents: 0,
  doubleEvents: 0,
  strayEvents: 0,
  brokenRuns: 0,
}

interface StateRow {
  readonly id: string
  readonly flow_run_id: string
  readonly type: string
  readonly transition_id: string | null
}

const runsOfFlow = statement('select id, idempotency_key, state_id from flow_run where flow_id = $1')
const statesOfFlow = statement(
  `select state.id, state.flow_run_id, state.type, state.state_details ->> 'transition_id' as transition_id
    from flow_run_state state join flow_run on flow_run.id = state.flow_run_id where flow_run.flow_id = $1`,
)

/** Compares the acknowledged changes of runs of one flow with the rows of runs, states and events. An event has the id of its state. */
export async function findChangeProblems(db: Db, acknowledged: readonly Acknowledged[], flowId: string): Promise<ChangeProblems> {
  const runs = await db.all<{ id: string; idempotency_key: string; state_id: string | null }>(runsOfFlow, [flowId])
  const states = await db.all<StateRow>(statesOfFlow, [flowId])
  const runIds = new Set(runs.map(({ id }) => id))
  const stateIds = new Set(states.map(({ id }) => id))
  const keys = countBy(runs, ({ idempotency_key }) => idempotency_key)
  const transitions = countBy(states, ({ transition_id }) => transition_id ?? '')
  const changes = countBy(states, ({ flow_run_id, type }) => `${flow_run_id} ${type}`)
  const events = await readFlowRunEvents(db, runIds)
  const doubles = (counts: ReadonlyMap<string, number>) => [...counts.values()].filter((count) => count > 1).length
  return {
    lostRuns: acknowledged.filter((change) => change.kind === 'run' && !(runIds.has(change.id) && keys.get(change.key) === 1)).length,
    doubleRuns: doubles(keys),
    lostStates: acknowledged.filter((change) => change.kind === 'state' && transitions.get(change.transitionId) !== 1).length,
    doubleStates: doubles(changes),
    missingEvents: states.filter(({ id }) => !events.has(id)).length,
    doubleEvents: doubles(events),
    strayEvents: [...events.keys()].filter((id) => !stateIds.has(id)).length,
    brokenRuns: runs.filter(({ state_id }) => state_id === null || !stateIds.has(state_id)).length,
  }
}

/** The number of events by id, of the given flow runs. */
async function readFlowRunEvents(db: Db, runIds: ReadonlySet<string>): Promise<Map<string, number>> {
  const found = new Map<string, number>()
  const prefix = 'prefect.flow-run.'
  for await (const { id, event, resource_id } of readEventLog(db)) {
    if (event.startsWith(prefix) && event !== 'prefect.flow-run.heartbeat' && runIds.has(resource_id.slice(prefix.length)))
      found.set(id, (found.get(id) ?? 0) + 1)
  }
  return found
}

const pageSize = 4096

/** All events in the order of the log, from the table and from segments. */
export async function* readEventLog(db: Db): AsyncGenerator<EventRow> {
  const segments = new SegmentRows(db)
  for (let position = 0; ; ) {
    const rows = await readRowsAfter(db, segments, position, pageSize)
    yield* rows
    const last = rows.at(-1)
    if (!last) return
    position = last.position
  }
}

function countBy<T>(list: Iterable<T>, key: (one: T) => string): Map<string, number> {
  const counts = new Map<string, number>()
  for (const one of list) counts.set(key(one), (counts.get(key(one)) ?? 0) + 1)
  return counts
}
