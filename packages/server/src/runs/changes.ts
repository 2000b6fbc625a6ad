import type { ReceivedEvent, ServerEvent } from '../lib/server-events.ts'
import type { Row } from '../storage/tables.ts'
import type { SlotLedger } from './slots/slot-ledger.ts'

/** The rows of one kind of run that a batch creates and changes. */
export class RunRows<R extends { readonly id: string }> {
  readonly created = new Map<string, R>()
  /** The columns that change, by id. */
  readonly changed = new Map<string, Partial<R>>()
  /** The rows before the batch, as far as they were read. */
  readonly before = new Map<string, Partial<R>>()

  create(row: R): void {
    this.created.set(row.id, row)
  }

  /** Several changes of one run are one update. A run that the batch creates is created as it is in the end. */
  change(before: Partial<R> & { readonly id: string }, columns: Partial<R>): void {
    const created = this.created.get(before.id)
    if (created) {
      this.created.set(before.id, { ...created, ...columns })
      return
    }
    const present = this.changed.get(before.id)
    if (!present) this.before.set(before.id, before)
    this.changed.set(before.id, present ? { ...present, ...columns } : columns)
  }
}

/** What a batch writes: plain data, collected by the decisions and written by save.ts. */
export interface Changes {
  readonly flowRuns: RunRows<Row<'flow_run'>>
  readonly taskRuns: RunRows<Row<'task_run'>>
  readonly flowRunStates: Row<'flow_run_state'>[]
  readonly taskRunStates: Row<'task_run_state'>[]
  readonly verdicts: Row<'verdict'>[]
  readonly cacheEntries: Row<'task_run_cache'>[]
  /** Task runs that wait for a task worker. */
  readonly deferred: Set<string>
  readonly heartbeats: Row<'flow_run_heartbeat'>[]
  /** Inputs of flow runs that a new attempt must not read. */
  readonly staleInputs: { readonly flow_run_id: string; readonly keys: readonly string[] }[]
  readonly slots: SlotLedger
  readonly events: (ServerEvent | ReceivedEvent)[]
}

export const noChanges = (slots: SlotLedger): Changes => ({
  flowRuns: new RunRows(),
  taskRuns: new RunRows(),
  flowRunStates: [],
  taskRunStates: [],
  verdicts: [],
  cacheEntries: [],
  deferred: new Set(),
  heartbeats: [],
  staleInputs: [],
  slots,
  events: [],
})
