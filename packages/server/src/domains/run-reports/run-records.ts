import type { RunRecord } from '@millrace/contracts/run-report.ts'
import { isTerminal } from '@millrace/contracts/state.ts'
import { type ApiError, badRequest, tooLarge } from '../../errors.ts'
import { validateEvent } from '../../events/ingest.ts'
import type { SentEvents } from '../../events/sent-events.ts'
import type { Actor } from '../../lib/actor.ts'
import type { EventRecord } from '../../lib/event-record.ts'
import { idAt } from '../../lib/ids.ts'
import { type Micros, toMicros } from '../../lib/time.ts'
import type { ProposeFlowRunState, ReportEvents, RunRecord as RunCommandRecord } from '../../runs/command.ts'
import type { TaskRunEvent } from '../../runs/task-run-events.ts'
import type { ActingContext, ServerContext } from '../../storage/server-context.ts'
import { findMessageFault, toLogRow } from '../logs/create-logs.ts'
import type { LogRow } from '../logs/store.ts'
import { toReceivedState } from '../run-states/received-state.ts'
import { type TaskRecord, toTaskEvent } from './task-events.ts'

/** A record within the limits: what it asks of the batch of runs, the event that it is stored as, or the line to store. */
export interface PreparedRecord {
  readonly attempt: number | null
  readonly proposal?: ProposeFlowRunState
  readonly event?: EventRecord
  readonly taskEvent?: TaskRunEvent
  readonly log?: LogRow
}

/** Returns an error of the API for a record beyond the limits, which harms no other. */
export function prepareRecord(context: ActingContext, record: RunRecord, created: Micros): PreparedRecord | ApiError {
  switch (record.kind) {
    case 'state':
      return { attempt: record.attempt ?? null, proposal: toProposal(context.actor, record) }
    case 'finished':
      if (!isTerminal(record.state.type)) return badRequest(`A run does not finish in state ${record.state.type}. Send a record of kind "state".`)
      return { attempt: record.attempt, proposal: toProposal(context.actor, record) }
    case 'log':
      return prepareLog(context, record, created)
    default:
      return prepareTaskEvent(context, record)
  }
}

/** The id of the record is that of the transition, so that a proposal that is sent again is recognized. */
const toProposal = (actor: Actor, { id, flow_run_id, state }: Extract<RunRecord, { kind: 'state' | 'finished' }>): ProposeFlowRunState => ({
  kind: 'propose_flow_run',
  actor,
  id: flow_run_id,
  state: toReceivedState({ ...state, state_details: { ...state.state_details, transition_id: id } } as typeof state),
  alwaysAnswersAgain: true,
})

function prepareLog({ config }: ServerContext, record: Extract<RunRecord, { kind: 'log' }>, created: Micros): PreparedRecord | ApiError {
  const fault = findMessageFault(record.message, config.logs.maximum_message_bytes)
  if (fault) return tooLarge(fault.msg)
  return { attempt: record.attempt, log: toLogRow(record, idAt(toMicros(record.timestamp), record.id), created) }
}

function prepareTaskEvent({ config }: ServerContext, record: TaskRecord): PreparedRecord | ApiError {
  const { maximum_cache_key_length: keyMax } = config.task_runs
  if ((record.task_run.cache_key?.length ?? 0) > keyMax) return tooLarge(`The cache key is too long: at most ${keyMax} characters are allowed.`)
  const { event, taskEvent } = toTaskEvent(record, config.events.maximum_related_resources)
  const [fault] = validateEvent(event, 0, config.events)
  if (fault) return tooLarge(fault.msg)
  if (!taskEvent) return badRequest('The task run or its state cannot be stored.')
  return { attempt: record.attempt, event, taskEvent }
}

/** The record as the batch of runs applies it. `findStored` belongs to all events of the request. */
export function toRunRecord(
  actor: Actor,
  { attempt, proposal, event, taskEvent }: PreparedRecord,
  { findStored, readHistory }: Pick<SentEvents, 'findStored'> & Pick<ReportEvents, 'readHistory'>,
): RunCommandRecord {
  const report = event && taskEvent && { kind: 'report' as const, actor, sent: { events: [event], findStored }, taskEvents: [taskEvent], readHistory }
  return { attempt, command: proposal ?? report ?? null }
}
