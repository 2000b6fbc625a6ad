import type { RuleSettings, RunSlots } from '../orchestration/rule.ts'
import type { ServerContext } from '../storage/server-context.ts'
import { type Changes, noChanges } from './changes.ts'
import type { FlowRunRow, FlowRunWithPool, LoadedFlowRun } from './flow-run-rows.ts'
import type { Loaded } from './load.ts'
import { runSlotsOf } from './slots/run-slots.ts'
import type { TaskRunEvent } from './task-run-events.ts'
import type { LoadedTaskRun, TaskRunRow } from './task-run-rows.ts'

type DecisionContext = Pick<ServerContext, 'clock' | 'newId' | 'random' | 'config'>

/** A batch while its commands are decided: what was loaded, with what the commands before have changed. */
export class Deciding {
  readonly context: DecisionContext
  readonly loaded: Loaded
  readonly changes: Changes
  readonly flowRuns: Map<string, LoadedFlowRun>
  readonly taskRuns: Map<string, LoadedTaskRun>
  readonly flowRunSlots: RunSlots
  readonly taskRunSlots: RunSlots
  /** Runs that the batch creates, by flow and idempotency key, and by the keys of task runs. */
  readonly flowRunsByKey = new Map<string, FlowRunWithPool>()
  readonly taskRunsByKey = new Map<string, TaskRunRow>()
  /** The ids of task runs by the keys that reports name, with those that the batch creates. */
  readonly reportedIds: Map<string, string>
  /** Reported states that are stored or will be. */
  readonly recordedStates: Set<string>
  /** The reports of the batch that were recorded, for those that come after them and are earlier. */
  readonly recordedEvents: TaskRunEvent[] = []
  readonly settings: RuleSettings
  /** The flow runs of new task runs, and those whose labels change, with their labels. */
  readonly owners: Map<string, { readonly labels: string }>

  constructor(context: DecisionContext, loaded: Loaded) {
    const { concurrency, task_runs } = context.config
    this.context = context
    this.loaded = loaded
    this.changes = noChanges(loaded.slots.ledger)
    this.flowRuns = new Map(loaded.flowRuns)
    this.taskRuns = new Map(loaded.taskRuns)
    this.reportedIds = new Map(loaded.reportedIds)
    this.recordedStates = new Set(loaded.storedStates)
    this.flowRunSlots = runSlotsOf(loaded.slots.ledger, 'flow_run')
    this.taskRunSlots = runSlotsOf(loaded.slots.ledger, 'task_run')
    this.settings = {
      deployment_slot_wait_seconds: concurrency.deployment_slot_wait_seconds,
      deployment_lease_seconds: concurrency.initial_deployment_lease_seconds,
      tag_slot_wait_seconds: concurrency.tag_slot_wait_seconds,
      cache_key_length_max: task_runs.maximum_cache_key_length,
    }
    this.owners = new Map(loaded.owners)
  }

  /** Changes a run, for the commands that follow too. */
  setFlowRunColumns(row: LoadedFlowRun, columns: Partial<FlowRunRow>): void {
    this.changes.flowRuns.change(row, columns)
    this.flowRuns.set(row.id, { ...row, ...columns })
  }

  setTaskRunColumns(row: LoadedTaskRun, columns: Partial<TaskRunRow>): void {
    this.changes.taskRuns.change(row, columns)
    this.taskRuns.set(row.id, { ...row, ...columns })
  }

  /** What every rule needs. */
  ruleContext() {
    const { clock, newId, random } = this.context
    return { now: clock.now(), newId, random: random.next, settings: this.settings }
  }

  /** Whether somebody else holds a run or a limit. */
  isHeld(row: string): boolean {
    return this.loaded.held.has(row) || this.loaded.slots.held.has(row)
  }
}
