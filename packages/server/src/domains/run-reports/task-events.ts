import type { RunRecord } from '@millrace/contracts/run-report.ts'
import type { EventRecord, ResourceLabels } from '../../lib/event-record.ts'
import { composeJsonText } from '../../lib/json.ts'
import { toStorable } from '../../lib/storable-text.ts'
import { toMicros } from '../../lib/time.ts'
import { defaultStateNames } from '../../orchestration/states.ts'
import { parseTaskRunEvent, type TaskRunEvent } from '../../runs/task-run-events.ts'

export type TaskRecord = Extract<RunRecord, { kind: 'created' | 'task_state' }>

/** Longer state messages are truncated in the labels of an event; the payload has all of them. */
const labelCharactersMax = 100_000

/** The event by which other clients report the same, and what it says about the task run. The event has the id of the record, and so has the state. */
export function toTaskEvent(record: TaskRecord, relatedMax: number): { readonly event: EventRecord; readonly taskEvent: TaskRunEvent | undefined } {
  const { id, flow_run_id, task_run } = record
  const state = record.kind === 'created' ? { type: 'PENDING' as const, timestamp: record.timestamp } : record.state
  const name = state.name ?? defaultStateNames[state.type]
  const message = state.message ? toStorable(state.message) : ''
  const payload = {
    intended: { from: null, to: state.type },
    validated_state: { ...state, id, name, message },
    task_run,
  }
  const event: EventRecord = {
    id,
    occurred: toMicros(state.timestamp),
    event: `prefect.task-run.${name}`,
    resource: {
      'prefect.resource.id': `prefect.task-run.${task_run.id}`,
      'prefect.resource.name': task_run.name ?? '',
      'prefect.run-count': String(task_run.run_count ?? 0),
      'prefect.state-message': message.slice(0, labelCharactersMax).toWellFormed(),
      'prefect.state-name': name,
      'prefect.state-timestamp': state.timestamp,
      'prefect.state-type': state.type,
      'prefect.orchestration': 'client',
    },
    related: relatedResources(flow_run_id, task_run.tags ?? []).slice(0, relatedMax),
    payload: composeJsonText(payload),
    follows: null,
  }
  return { event, taskEvent: parseTaskRunEvent(event, payload) }
}

const relatedResources = (flowRunId: string, tags: readonly string[]): ResourceLabels[] => [
  { 'prefect.resource.id': `prefect.flow-run.${flowRunId}`, 'prefect.resource.role': 'flow-run' },
  ...tags.map((tag) => ({ 'prefect.resource.id': `prefect.tag.${tag}`, 'prefect.resource.role': 'tag' })),
]
