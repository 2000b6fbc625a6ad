import { type StateDetails, type StateType, stateTypes } from '@millrace/contracts/state.ts'
import { parseDurationOrSeconds } from '../../lib/duration.ts'
import type { EventRecord, ResourceLabels } from '../../lib/event-record.ts'
import { parseUuid } from '../../lib/ids.ts'
import { jsonText, nullableJsonText, parseJson } from '../../lib/json.ts'
import { ExactNumber, isJsonObject } from '../../lib/json-exact.ts'
import { formatTime, MICROS_PER_SECOND, type Micros, parseTime } from '../../lib/time.ts'
import type { RunState } from '../../orchestration/rule.ts'
import { defaultStateNames, withDefaultDetails } from '../../orchestration/states.ts'
import { withDefaultTaskPolicy } from './draft.ts'
import type { TaskRunRow } from './store.ts'

/** What a client's event tells of a task run: a state that it has entered, and what it was like then. */
export interface TaskRunEvent {
  readonly id: string
  readonly flow_run_id: string | null
  readonly task_key: string
  readonly dynamic_key: string
  readonly state: RunState
  /** Only what the event tells; the rest stays as it is. */
  readonly columns: Partial<TaskRunRow>
}

export const isTaskRunEvent = ({ event, resource }: Pick<EventRecord, 'event' | 'resource'>): boolean =>
  event.startsWith('prefect.task-run') && resource['prefect.orchestration'] === 'client'

type EventInput = Pick<EventRecord, 'id' | 'occurred' | 'resource' | 'related' | 'payload'>

/** Undefined when the event does not say enough to be recorded: then it is an event like any other. */
export function parseTaskRunEvent(event: EventInput): TaskRunEvent | undefined {
  const payload = parseJson(event.payload) as Fields
  const [run, sent] = [objectIn(payload, 'task_run'), objectIn(payload, 'validated_state')]
  const id = idIn(event.resource, 'prefect.task-run.')
  const flowRun = event.related.find((resource) => resource['prefect.resource.role'] === 'flow-run')
  const flow_run_id = flowRun ? idIn(flowRun, 'prefect.flow-run.') : null
  if (!run || !sent || !id || flow_run_id === undefined) return undefined
  const state = stateOf(event, sent, { flow_run_id, task_run_id: id })
  const [task_key, dynamic_key] = [textIn(run, 'task_key'), textIn(run, 'dynamic_key')]
  if (!state || task_key === undefined || dynamic_key === undefined) return undefined
  return { id, flow_run_id, task_key, dynamic_key, state, columns: columnsOf(run) }
}

/** As many as a request may bring; the run counts for more than its tags, so that the others are left out. */
const tagsMax = 1000

const tagsText = (tags: readonly unknown[]): string =>
  JSON.stringify(tags.slice(0, tagsMax).flatMap((tag) => (typeof tag === 'string' ? [storable(tag)] : [])))

type Fields = Readonly<Record<string, unknown>>

function idIn(resource: ResourceLabels, prefix: string): string | undefined {
  const id = resource['prefect.resource.id'] ?? ''
  return id.startsWith(prefix) ? parseUuid(id.slice(prefix.length)) : undefined
}

function stateOf(event: EventInput, sent: Fields, whose: Partial<StateDetails>): RunState | undefined {
  const type = stateTypes.find((known) => known === sent.type) as StateType | undefined
  if (!type) return undefined
  const timestamp = timeIn(sent, 'timestamp') ?? event.occurred
  const details = detailsOf(objectIn(sent, 'state_details') ?? {})
  // A scheduled state that does not say for when is for at once; the time of the telling, so that a replay gives the same.
  const scheduled_time = details.scheduled_time ?? (type === 'SCHEDULED' ? formatTime(timestamp) : null)
  return {
    id: parseUuid(textIn(sent, 'id') ?? '') ?? event.id,
    type,
    name: textIn(sent, 'name') ?? defaultStateNames[type],
    timestamp,
    message: textIn(sent, 'message') ?? null,
    data: nullableJsonText(sent.data),
    state_details: withDefaultDetails({ ...details, scheduled_time, ...whose }),
  }
}

const idDetails = ['child_flow_run_id', 'transition_id', 'task_parameters_id', 'deployment_concurrency_lease_id'] as const
const timeDetails = ['scheduled_time', 'cache_expiration', 'pause_timeout'] as const
const textDetails = ['cache_key', 'pause_key', 'traceparent'] as const
const flagDetails = ['deferred', 'untrackable_result', 'pause_reschedule', 'refresh_cache', 'retriable'] as const

/** Details of another kind than they should be are left out. */
function detailsOf(sent: Fields): Partial<StateDetails> {
  const found: Record<string, unknown> = {}
  for (const key of idDetails) found[key] = parseUuid(textIn(sent, key) ?? '')
  for (const key of timeDetails) {
    const time = timeIn(sent, key)
    found[key] = time === undefined ? undefined : formatTime(time)
  }
  for (const key of textDetails) found[key] = textIn(sent, key)
  for (const key of flagDetails) found[key] = typeof sent[key] === 'boolean' ? sent[key] : undefined
  // The one flag that has a default and may be nothing.
  if (sent.deferred === null) found.deferred = null
  const keyset = objectIn(sent, 'run_input_keyset')
  if (keyset && Object.values(keyset).every((key) => typeof key === 'string')) {
    found.run_input_keyset = Object.fromEntries(Object.entries(keyset).map(([name, key]) => [storable(name), storable(key as string)]))
  }
  return found
}

function columnsOf(run: Fields): Partial<TaskRunRow> {
  const policy = objectIn(run, 'empirical_policy')
  const { labels } = run
  const inputs = objectIn(run, 'task_inputs')
  return omitUndefined({
    name: textIn(run, 'name') || undefined,
    cache_key: nullOr(run, 'cache_key', textIn),
    cache_expiration: nullOr(run, 'cache_expiration', timeIn),
    task_version: nullOr(run, 'task_version', textIn),
    empirical_policy: policy && JSON.stringify(withDefaultTaskPolicy(JSON.parse(jsonText(policy)))),
    tags: Array.isArray(run.tags) ? tagsText(run.tags) : undefined,
    labels: labels === undefined || (typeof labels !== 'object' && labels !== null) ? undefined : jsonText(labels),
    task_inputs: inputs && jsonText(inputs),
    run_count: countIn(run, 'run_count'),
    flow_run_run_count: countIn(run, 'flow_run_run_count'),
    expected_start_time: nullOr(run, 'expected_start_time', timeIn),
    next_scheduled_start_time: nullOr(run, 'next_scheduled_start_time', timeIn),
    start_time: nullOr(run, 'start_time', timeIn),
    end_time: nullOr(run, 'end_time', timeIn),
    total_run_time: durationIn(run, 'total_run_time'),
  })
}

const omitUndefined = (columns: { [K in keyof TaskRunRow]?: TaskRunRow[K] | undefined }): Partial<TaskRunRow> =>
  Object.fromEntries(Object.entries(columns).filter(([, value]) => value !== undefined))

const objectIn = (fields: Fields, key: string): Fields | undefined => (isJsonObject(fields[key]) ? (fields[key] as Fields) : undefined)

/** What PostgreSQL cannot hold is left out of texts. */
const storable = (text: string): string => (text.includes('\0') || !text.isWellFormed() ? text.replaceAll('\0', '').toWellFormed() : text)

const textIn = (fields: Fields, key: string): string | undefined => (typeof fields[key] === 'string' ? storable(fields[key]) : undefined)

const numberIn = (fields: Fields, key: string): number | undefined => {
  const value = fields[key] instanceof ExactNumber ? fields[key].value : fields[key]
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined
}

const countIn = (fields: Fields, key: string): number | undefined => {
  const value = numberIn(fields, key)
  return value !== undefined && Number.isSafeInteger(value) && value >= 0 ? value : undefined
}

/** Times are text, or numbers as elsewhere in the API. */
const timeIn = (fields: Fields, key: string): Micros | undefined => parseTime(textIn(fields, key) ?? String(numberIn(fields, key) ?? ''))

const durationMax: Micros = 9_000_000_000_000_000

/** Null is told, not left out: a run that is tried again has no end, and one that runs is scheduled no more. */
const nullOr = <T>(fields: Fields, key: string, read: (fields: Fields, key: string) => T | undefined): T | null | undefined =>
  fields[key] === null ? null : read(fields, key)

const durationIn = (fields: Fields, key: string): Micros | undefined => {
  const seconds = numberIn(fields, key) ?? parseDurationOrSeconds(textIn(fields, key) ?? '')
  // A run that took centuries is told wrongly; more microseconds than a number holds could be written, and never be read again.
  return seconds === undefined ? undefined : Math.min(Math.max(Math.round(seconds * MICROS_PER_SECOND), -durationMax), durationMax)
}
