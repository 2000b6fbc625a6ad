import type { Labels } from '@millrace/contracts/primitives.ts'
import type { OrchestrationResult, StateType } from '@millrace/contracts/state.ts'
import type { SentEvents } from '../events/sent-events.ts'
import type { Actor } from '../lib/actor.ts'
import type { Micros } from '../lib/time.ts'
import type { Policy } from '../orchestration/apply-transition.ts'
import type { FlowRunRetryPolicy, FlowRunSnapshot, LeaseMode, TaskRunRetryPolicy } from '../orchestration/rule.ts'
import type { ReceivedState } from '../orchestration/states.ts'
import type { FlowRunEventContext } from './flow-run-events.ts'
import type { FlowRunRow, FlowRunWithPool } from './flow-run-rows.ts'
import type { TaskRunEvent } from './task-run-events.ts'
import type { TaskRunRow } from './task-run-rows.ts'

/** What can be asked of runs, each with who asks. The batch of batch.ts executes all of it. */
export type RunCommand =
  | CreateFlowRun
  | CreateTaskRun
  | ProposeFlowRunState
  | ProposeTaskRunState
  | ChangeFlowRun
  | ChangeTaskRun
  | EndTaskRun
  | ReportEvents
  | ReportRun

/** The answer to a command; an error of the catalogue otherwise. */
export type Answer<C extends RunCommand> = C extends CreateFlowRun
  ? CreatedFlowRun
  : C extends CreateTaskRun
    ? CreatedTaskRun
    : C extends ChangeFlowRun | ChangeTaskRun | EndTaskRun | ReportEvents
      ? null
      : C extends ReportRun
        ? readonly RecordAnswer[]
        : SetStateResult

export interface CreateFlowRun {
  readonly kind: 'create_flow_run'
  readonly actor: Actor
  readonly draft: FlowRunDraft
}

export interface CreateTaskRun {
  readonly kind: 'create_task_run'
  readonly actor: Actor
  readonly draft: TaskRunDraft
}

export interface ProposeFlowRunState {
  readonly kind: 'propose_flow_run'
  readonly actor: Actor
  readonly id: string
  readonly state: ReceivedState
  readonly force?: boolean
  readonly leaseMode?: LeaseMode | undefined
  /** The name of the worker that sent the proposal. */
  readonly worker?: string | undefined
  /** Overrides the policy; services have their own. */
  readonly policy?: Policy<FlowRunSnapshot>
  /** A repeated proposal gets its first answer also while the run is in that state. Otherwise a rule rejects it then, as in the reference. */
  readonly alwaysAnswersAgain?: boolean
}

export interface ProposeTaskRunState {
  readonly kind: 'propose_task_run'
  readonly actor: Actor
  readonly id: string
  readonly state: ReceivedState
  readonly force?: boolean
}

/** Sets columns of a flow run, all but those of its state. */
export interface ChangeFlowRun {
  readonly kind: 'change_flow_run'
  readonly actor: Actor
  readonly id: string
  /** An empty or null name becomes a random one. */
  readonly name?: string | null
  /** Merged into the labels of the run. */
  readonly labels?: Labels
  readonly columns?: Partial<
    Pick<FlowRunRow, 'flow_version' | 'parameters' | 'empirical_policy' | 'tags' | 'infrastructure_pid' | 'job_variables' | 'worker_name'>
  >
}

export interface ChangeTaskRun {
  readonly kind: 'change_task_run'
  readonly actor: Actor
  readonly id: string
  /** An empty or null name becomes a random one. */
  readonly name?: string | null
}

/** Ends a task run that sent no state since its flow run ended. The caller has locked it and knows that. */
export interface EndTaskRun {
  readonly kind: 'end_task_run'
  readonly actor: Actor
  readonly id: string
  readonly flowRun: { readonly name: string; readonly state_type: StateType; readonly end_time: Micros }
}

/** Events of one request of a client, all stored or none. Some of them report states that the client has given to its task runs. */
export interface ReportEvents {
  readonly kind: 'report'
  readonly actor: Actor
  readonly sent: SentEvents
  readonly taskEvents: readonly TaskRunEvent[]
  /** Called for task runs whose events arrive late. */
  readonly readHistory: ReadTaskHistory
}

/** Reads all events of task runs that are in the log, by the id of the task run that they name. */
export type ReadTaskHistory = (taskRunIds: readonly string[]) => Promise<TaskHistory>
export type TaskHistory = ReadonlyMap<string, readonly TaskRunEvent[]>

/** What one process reports about a flow run: applied in this order, in one transaction, each answered by itself. */
export interface ReportRun {
  readonly kind: 'report_run'
  readonly actor: Actor
  readonly id: string
  readonly records: readonly RunRecord[]
}

export interface RunRecord {
  /** The attempt of the flow run that the sender runs. Null if it does not know it: such a record is not compared. */
  readonly attempt: number | null
  /** What the record asks for. Null for what is stored elsewhere if the answer is not an error, such as a log. */
  readonly command: ProposeFlowRunState | ReportEvents | null
}

/** The answer to a record that was applied: the attempt of the flow run after it, and what the rules decided. An error if it was not applied. */
export type RecordAnswer = { readonly attempt: number; readonly result: OrchestrationResult | null } | Error

/** A flow run to create. JSON fields are text. */
export interface FlowRunDraft {
  readonly flow_id: string
  readonly name?: string | null
  readonly state?: ReceivedState | null
  readonly flow_version?: string | null
  readonly deployment_id?: string | null
  readonly deployment_version?: string | null
  readonly parameters: string
  readonly context: string
  readonly empirical_policy: FlowRunRetryPolicy
  readonly tags: string
  readonly labels?: Labels | null
  readonly parent_task_run_id?: string | null
  readonly infrastructure_document_id?: string | null
  readonly idempotency_key?: string | null
  readonly work_queue_id?: string | null
  readonly work_queue_name?: string | null
  readonly job_variables?: string | null
  readonly auto_scheduled?: boolean
  readonly created_by?: FlowRunEventContext['createdBy']
  /** Created by a schedule. There are many such runs, so they have no event before their first transition. */
  readonly planned?: boolean
}

export interface CreatedFlowRun {
  /** False if a run with the idempotency key exists; `row` is that run, unchanged. */
  readonly isNew: boolean
  readonly row: FlowRunWithPool
}

/** A task run to create. JSON fields are text. */
export interface TaskRunDraft {
  readonly id?: string | null
  readonly name?: string | null
  readonly state?: ReceivedState | null
  readonly flow_run_id?: string | null
  readonly task_key: string
  readonly dynamic_key: string
  readonly cache_key?: string | null
  readonly cache_expiration?: number | null
  readonly task_version?: string | null
  readonly empirical_policy: TaskRunRetryPolicy
  readonly tags: readonly string[]
  readonly labels?: Labels | null
  readonly task_inputs: string
}

export interface CreatedTaskRun {
  /** False if a run with these keys exists; `row` is that run, unchanged. */
  readonly isNew: boolean
  readonly row: TaskRunRow
}

/** The result of a proposal for a flow run or a task run. */
export interface SetStateResult {
  /** Whether a new state was written. */
  readonly written: boolean
  readonly result: OrchestrationResult
  /** The attempt that a flow run had after a proposal which is repeated. */
  readonly attempt?: number | undefined
}
