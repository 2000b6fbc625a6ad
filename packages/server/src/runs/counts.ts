import { isTerminal, type StateType } from '@millrace/contracts/state.ts'
import { slotAt } from '../lib/count-slots.ts'
import type { Write } from '../storage/dialect.ts'
import type { Row } from '../storage/tables.ts'
import type { Changes, RunRows } from './changes.ts'

/** A row of a run, as far as runs are counted by it. */
type CountedRun = Readonly<Pick<Row<'flow_run'>, 'id' | 'state_type' | 'state_name' | 'expected_start_time' | 'start_time' | 'total_run_time'>>

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
  'run_table',
  'state_type',
  'state_name',
  'count',
  'slot',
  'run_time',
  'lateness',
  'from_type',
  'from_name',
] as const satisfies readonly (keyof RunChange)[]

const insertChanges = `insert into run_change (${columns.join(', ')})
  select * from unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $5::bigint[], $6::double precision[], $7::double precision[], $8::text[], $9::text[])`

/** The changes of the numbers of runs (ADR 0060), with a row for each state and slot instead of one for each run. For databases whose triggers leave it to the writer. */
export function countWrites({ flowRuns, taskRuns }: Changes): Write[] {
  const counts = new RunCounts()
  counts.addAll('flow_run', flowRuns as RunRows<CountedRun>)
  counts.addAll('task_run', taskRuns as RunRows<CountedRun>)
  const changes = [...counts.changes.values()]
  return changes.length === 0 ? [] : [{ run: insertChanges, values: columns.map((name) => changes.map((change) => change[name])) }]
}

class RunCounts {
  readonly changes = new Map<string, RunChange>()

  addAll(table: string, { created, changed, before }: RunRows<CountedRun>): void {
    for (const run of created.values()) this.#add(table, run, 1, null)
    for (const [id, columns] of changed) {
      const run = before.get(id) as CountedRun
      this.#addChange(table, run, { ...run, ...columns })
    }
  }

  #addChange(table: string, before: CountedRun, after: CountedRun): void {
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

  #add(run_table: string, run: CountedRun, count: 1 | -1, from: CountedRun | null): void {
    const hasSlot = isFinished(run)
    const slot = hasSlot && run.expected_start_time !== null ? slotAt(run.expected_start_time) : null
    const [state_type, state_name] = stateOf(run)
    const [from_type, from_name] = from ? stateOf(from) : [null, null]
    const run_time = hasSlot ? count * run.total_run_time : 0
    const lateness = hasSlot ? count * latenessOf(run) : 0
    const key = JSON.stringify([run_table, state_type, state_name, slot, from_type, from_name])
    const same = this.changes.get(key)
    if (!same) this.changes.set(key, { run_table, state_type, state_name, count, slot, run_time, lateness, from_type, from_name })
    else {
      same.count += count
      same.run_time += run_time
      same.lateness += lateness
    }
  }
}

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
