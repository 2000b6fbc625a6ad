import { isTerminal, type StateType } from '@millrace/contracts/state.ts'
import type { RunChangeCollector, StoredRows } from '../dialect.ts'
import { slotAt } from '../run-counts.ts'
import type { ColumnKind, TableName } from '../tables.ts'
import { arrayEncoder } from './array-parameter.ts'
import { type RunStatement, RunTags, type TaggedRun } from './run-tags.ts'

/** A row of a run, as far as runs are counted by it. */
interface CountedRun {
  readonly id: string
  readonly state_type: string | null
  readonly state_name: string | null
  readonly expected_start_time: number | null
  readonly start_time: number | null
  readonly total_run_time: number
}

/** So many runs entered a state, from another one. The sums belong to the slot of finished runs. */
interface RunChange {
  readonly run_table: string
  readonly state_type: string
  readonly state_name: string
  count: number
  readonly slot: number | null
  run_time: number
  lateness: number
  readonly from_type: string | null
  readonly from_name: string | null
}

const columns = [
  ['run_table', 'text'],
  ['state_type', 'text'],
  ['state_name', 'text'],
  ['count', 'int'],
  ['slot', 'int'],
  ['run_time', 'real'],
  ['lateness', 'real'],
  ['from_type', 'text'],
  ['from_name', 'text'],
] as const satisfies readonly (readonly [keyof RunChange, ColumnKind])[]
const encoders = columns.map(([name, kind]) => [name, arrayEncoder(kind)] as const)

const insertChanges = `insert into run_change (${columns.map(([name]) => name).join(', ')})
  select * from unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $5::bigint[], $6::double precision[], $7::double precision[], $8::text[], $9::text[])`

/**
 * The changes of the numbers of runs and of their tags by one transaction, as the triggers of the tables would record them (ADR 0031), with a row for each state
 * and slot instead of one for each run. The triggers ignore statements whose rows are named `recorded`.
 */
export class RunChanges implements RunChangeCollector {
  readonly #changes = new Map<string, RunChange>()
  readonly #tags = new RunTags()

  addCreated(table: TableName, rows: readonly object[]): boolean {
    if (!isCounted(table)) return false
    for (const run of rows as readonly CountedRun[]) this.#add(table, run, 1, null)
    if (table === 'flow_run') this.#tags.addCreated(rows as readonly TaggedRun[])
    return true
  }

  addUpdated(table: TableName, rows: readonly object[], stored: StoredRows | undefined): boolean {
    if (!isCounted(table) || !stored) return false
    const runs = rows as readonly CountedRun[]
    if (!runs.every((run) => hasCountedColumns(run) && stored.has(run.id))) return false
    for (const run of runs) this.#addUpdate(table, stored.get(run.id) as CountedRun, run)
    if (table === 'flow_run') for (const run of runs) this.#tags.addUpdated(stored.get(run.id) as TaggedRun, run)
    return true
  }

  take(run: RunStatement): void {
    this.#tags.take(run)
    if (this.#changes.size === 0) return
    const changes = [...this.#changes.values()]
    this.#changes.clear()
    run(
      insertChanges,
      encoders.map(([name, encode]) => encode(changes.map((change) => change[name]))),
    )
  }

  #addUpdate(table: TableName, before: CountedRun, after: CountedRun): void {
    if (isFinished(before)) {
      // Only the change of one finished state to another is two rows: both have a slot.
      if (!isFinished(after)) this.#add(table, before, -1, after)
      else if (countsDiffer(before, after)) {
        this.#add(table, before, -1, null)
        this.#add(table, after, 1, null)
      }
    } else if (isFinished(after) || before.state_type !== after.state_type || before.state_name !== after.state_name)
      this.#add(table, after, 1, before)
  }

  #add(run_table: TableName, run: CountedRun, count: 1 | -1, from: CountedRun | null): void {
    const hasSlot = isFinished(run)
    const slot = hasSlot && run.expected_start_time !== null ? slotAt(run.expected_start_time) : null
    const [state_type, state_name] = stateOf(run)
    const [from_type, from_name] = from ? stateOf(from) : [null, null]
    const run_time = hasSlot ? count * run.total_run_time : 0
    const lateness = hasSlot ? count * latenessOf(run) : 0
    const key = JSON.stringify([run_table, state_type, state_name, slot, from_type, from_name])
    const same = this.#changes.get(key)
    if (!same) this.#changes.set(key, { run_table, state_type, state_name, count, slot, run_time, lateness, from_type, from_name })
    else {
      same.count += count
      same.run_time += run_time
      same.lateness += lateness
    }
  }
}

const isCounted = (table: TableName): boolean => table === 'flow_run' || table === 'task_run'

const hasCountedColumns = (run: object): boolean =>
  !('tags' in run) && 'state_type' in run && 'state_name' in run && 'expected_start_time' in run && 'start_time' in run && 'total_run_time' in run

const isFinished = (run: CountedRun): boolean => isTerminal(run.state_type as StateType | null)

const stateOf = ({ state_type, state_name }: CountedRun): readonly [type: string, name: string] => [state_type ?? '', state_name ?? '']

const latenessOf = ({ start_time, expected_start_time }: CountedRun): number =>
  start_time === null || expected_start_time === null ? 0 : Math.max(0, start_time - expected_start_time)

const countsDiffer = (before: CountedRun, after: CountedRun): boolean =>
  before.state_type !== after.state_type ||
  before.state_name !== after.state_name ||
  before.expected_start_time !== after.expected_start_time ||
  before.start_time !== after.start_time ||
  before.total_run_time !== after.total_run_time
