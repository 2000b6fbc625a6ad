import { statement, type Tx } from '../storage/database.ts'
import type { Write } from '../storage/dialect.ts'
import type { ServerContext } from '../storage/server-context.ts'
import type { Row, TableName } from '../storage/tables.ts'
import type { Changes, RunRows } from './changes.ts'
import { countWrites } from './counts.ts'
import { replaceHeartbeat } from './heartbeats.ts'
import { tagWrites } from './tags.ts'

/** Adds scheduled runs to the end of the queue for task workers. A run that is already queued moves to the end. */
export const deferTaskRuns = statement(
  (dialect) => `insert into deferred_task (task_run_id, task_key, state_id, queued, claimed_until)
    select id, task_key, state_id, cast($2 as bigint), null from task_run where ${dialect.inList('id', '$1', 'uuid')}
    on conflict (task_run_id) do update set state_id = excluded.state_id, queued = excluded.queued, claimed_until = null`,
)

const removeInputs = statement(
  (dialect) => `delete from flow_run_input
    where ${dialect.inList('flow_run_id', '$1', 'uuid')} and ${dialect.inList("cast(flow_run_id as text) || ' ' || key", '$2', 'text')}`,
)

/** Writes the changes of a batch, in a number of statements that does not depend on the number of commands, and emits their events. */
export async function save({ clock, newId }: ServerContext, tx: Tx, changes: Changes): Promise<void> {
  const { dialect } = tx
  const { slots, flowRuns, taskRuns, flowRunStates, taskRunStates, cacheEntries, verdicts, heartbeats, deferred, staleInputs } = changes
  const now = clock.now()
  const writes = [
    ...slots.writes(dialect),
    ...rowWrites('flow_run', flowRuns, now),
    ...insertOf('flow_run_state', flowRunStates),
    ...insertOf('artifact', resultArtifacts(newId, flowRunStates)),
    ...rowWrites('task_run', taskRuns, now),
    ...insertOf('task_run_state', taskRunStates),
    ...insertOf('task_run_cache', cacheEntries),
    ...insertOf('verdict', verdicts),
    ...insertOf('flow_run_heartbeat', heartbeats, replaceHeartbeat),
    ...(dialect.derivesByTriggers ? [] : [...countWrites(changes), ...tagWrites(changes)]),
  ]
  if (staleInputs.length > 0) {
    const pairs = staleInputs.flatMap(({ flow_run_id, keys }) => keys.map((key) => `${flow_run_id} ${key}`))
    writes.push({ run: removeInputs.text(dialect), values: [dialect.list(staleInputs.map(({ flow_run_id }) => flow_run_id)), dialect.list(pairs)] })
  }
  if (deferred.size > 0) writes.push({ run: deferTaskRuns.text(dialect), values: [dialect.list([...deferred]), now] })
  await tx.write(writes)
  for (const event of changes.events) tx.emit(event)
  if (slots.hasReleased) tx.notify('slots')
  if (deferred.size > 0) tx.notify('deferred-tasks')
}

function insertOf(insert: TableName, rows: readonly object[], onConflict = ''): Write[] {
  return rows.length === 0 ? [] : [{ insert, rows, onConflict }]
}

/** Updates of different columns are statements of their own: transitions have the same ones, reports those that the client has sent. */
function rowWrites<R extends { readonly id: string }>(
  table: 'flow_run' | 'task_run',
  { created, changed, before }: RunRows<R>,
  updated: number,
): Write[] {
  const writes: Write[] = []
  if (created.size > 0) writes.push({ insert: table, rows: [...created.values()], isRecorded: true })
  const shapes = new Map<string, object[]>()
  for (const [id, columns] of changed) {
    const names = Object.keys(columns).join()
    const rows = shapes.get(names)
    const row = { id, updated, ...columns }
    if (rows) rows.push(row)
    else shapes.set(names, [row])
  }
  for (const rows of shapes.values()) writes.push({ update: table, rows, stored: before as ReadonlyMap<string, object>, isRecorded: true })
  return writes
}

/**
 * The artifacts of the results that flow runs keep: one for each new state with data, without type and key, as in the reference. The data names where a result is
 * stored, so that it can be found by its flow run. A result of type `unpersisted` is not part of a state's row.
 */
const resultArtifacts = (newId: () => string, states: readonly Row<'flow_run_state'>[]): Row<'artifact'>[] =>
  states.flatMap(({ data, timestamp, flow_run_id }) =>
    data === null
      ? []
      : [
          {
            id: newId(),
            created: timestamp,
            updated: timestamp,
            key: null,
            type: null,
            description: null,
            data,
            metadata_: null,
            flow_run_id,
            task_run_id: null,
          },
        ],
  )
