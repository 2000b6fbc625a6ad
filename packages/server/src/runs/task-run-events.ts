import { keyLimits, nameLimits } from '@millrace/contracts/primitives.ts'
import { type StateDetails, type StateType, stateTypes } from '@millrace/contracts/state.ts'
import { parseDurationOrSeconds } from '../lib/duration.ts'
import type { EventRecord, ResourceLabels } from '../lib/event-record.ts'
import { parseUuid } from '../lib/ids.ts'
import { jsonText, nullableJsonText, parseJson } from '../lib/json.ts'
import { ExactNumber, isJsonObject } from '../lib/json-exact.ts'
import { toStorable } from '../lib/storable-text.ts'
import { MICROS_PER_SECOND, type Micros, parseTime, sortableTime } from '../lib/time.ts'
import type { RunState } from '../orchestration/rule.ts'
import { defaultStateNames, withDefaultDetails } from '../orchestration/states.ts'
import { withDefaultTaskPolicy } from './task-run-policy.ts'
import type { TaskRunRow } from './task-run-rows.ts'

/** The content of a task run event of a client: the new state and the fields of the task run. */
export interface TaskRunEvent {
  readonly id: string
  readonly flow_run_id: string | null
  readonly task_key: string
  readonly dynamic_key: string
  readonly state: RunState
  /** Only the fields of the event; the others stay unchanged. */
  readonly columns: Partial<TaskRunRow>
}

export const isTaskRunEvent = ({ event, resource }: Pick<EventRecord, 'event' | 'resource'>): boolean =>
  event.startsWith('prefect.task-run') && resource['prefect.orchestration'] === 'client'

type EventInput = Pick<EventRecord, 'id' | 'occurred' | 'resource' | 'related' | 'payload'>

/** Undefined if required fields are missing or keys too long. Such an event is stored like any other, without a task run. */
export function parseTaskRunEvent(event: EventInput, payload = parseJson(event.payload) as Fields): TaskRunEvent | undefined {
  const [run, sent] = [readObject(payload, 'task_run'), readObject(payload, 'validated_state')]
  const id = readId(event.resource, 'prefect.task-run.')
  const flowRun = event.related.find((resource) => resource['prefect.resource.role'] === 'flow-run')
  const flow_run_id = flowRun ? readId(flowRun, 'prefect.flow-run.') : null
  if (!run || !sent || !id || flow_run_id === undefined) return undefined
  const state = parseState(event, sent, { flow_run_id, task_run_id: id })
  const [task_key, dynamic_key] = [readText(run, 'task_key'), readText(run, 'dynamic_key')]
  if (!state || !isKey(task_key) || !isKey(dynamic_key)) return undefined
  return { id, flow_run_id, task_key, dynamic_key, state, columns: parseColumns(run) }
}

/** The limit of requests. Further tags are dropped, because the task run matters more than its tags. */
const tagsMax = 1000

const tagsText = (tags: readonly unknown[]): string =>
  JSON.stringify(tags.slice(0, tagsMax).flatMap((tag) => (typeof tag === 'string' ? [cutName(toStorable(tag))] : [])))

const isKey = (key: string | undefined): key is string =>
  key !== undefined && key.length <= keyLimits.maxLength && Buffer.byteLength(key) <= keyLimits['x-bytes-max']

/** A name that a request may have. A longer one is cut, because the task run matters more. */
function cutName(name: string): string {
  const { maxLength, 'x-bytes-max': bytesMax } = nameLimits
  if (name.length * 3 <= bytesMax) return name
  const cut = name.slice(0, maxLength)
  // The end may be half of a character.
  return toStorable(Buffer.byteLength(cut) <= bytesMax ? cut : cut.slice(0, Math.floor(bytesMax / 3)))
}

type Fields = Readonly<Record<string, unknown>>

function readId(resource: ResourceLabels, prefix: string): string | undefined {
  const id = resource['prefect.resource.id'] ?? ''
  return id.startsWith(prefix) ? parseUuid(id.slice(prefix.length)) : undefined
}

function parseState(event: EventInput, sent: Fields, runIds: Partial<StateDetails>): RunState | undefined {
  const type = stateTypes.find((each) => each === sent.type) as StateType | undefined
  if (!type) return undefined
  const timestamp = readTime(sent, 'timestamp') ?? event.occurred
  const details = parseDetails(readObject(sent, 'state_details') ?? {})
  // Without a scheduled time the run is scheduled for the time of the state, not for now, so that a replay gives the same result.
  const scheduled_time = details.scheduled_time ?? (type === 'SCHEDULED' ? sortableTime(timestamp) : null)
  return {
    id: parseUuid(readText(sent, 'id') ?? '') ?? event.id,
    type,
    name: cutName(readText(sent, 'name') ?? defaultStateNames[type]),
    timestamp,
    message: readText(sent, 'message') ?? null,
    data: nullableJsonText(sent.data),
    state_details: withDefaultDetails({ ...details, scheduled_time, ...runIds }),
  }
}

const idDetails = ['child_flow_run_id', 'transition_id', 'task_parameters_id', 'deployment_concurrency_lease_id'] as const
const timeDetails = ['scheduled_time', 'cache_expiration', 'pause_timeout'] as const
const textDetails = ['cache_key', 'pause_key', 'traceparent'] as const
const flagDetails = ['deferred', 'untrackable_result', 'pause_reschedule', 'refresh_cache', 'retriable'] as const

/** Details with a wrong type are dropped. */
function parseDetails(sent: Fields): Partial<StateDetails> {
  const found: Record<string, unknown> = {}
  for (const key of idDetails) found[key] = parseUuid(readText(sent, key) ?? '')
  for (const key of timeDetails) {
    const time = readTime(sent, key)
    found[key] = time === undefined ? undefined : sortableTime(time)
  }
  for (const key of textDetails) found[key] = readText(sent, key)
  for (const key of flagDetails) found[key] = typeof sent[key] === 'boolean' ? sent[key] : undefined
  // `deferred` is the only flag that may be null.
  if (sent.deferred === null) found.deferred = null
  const keyset = readObject(sent, 'run_input_keyset')
  if (keyset && Object.values(keyset).every((key) => typeof key === 'string')) {
    found.run_input_keyset = Object.fromEntries(Object.entries(keyset).map(([name, key]) => [toStorable(name), toStorable(key as string)]))
  }
  return found
}

function parseColumns(run: Fields): Partial<TaskRunRow> {
  const policy = readObject(run, 'empirical_policy')
  const { labels } = run
  const inputs = readObject(run, 'task_inputs')
  return omitUndefined({
    name: cutName(readText(run, 'name') ?? '') || undefined,
    cache_key: nullOr(run, 'cache_key', readText),
    cache_expiration: nullOr(run, 'cache_expiration', readTime),
    task_version: nullOr(run, 'task_version', readText),
    empirical_policy: policy && JSON.stringify(withDefaultTaskPolicy(JSON.parse(jsonText(policy)))),
    tags: Array.isArray(run.tags) ? tagsText(run.tags) : undefined,
    labels: labels === undefined || (typeof labels !== 'object' && labels !== null) ? undefined : jsonText(labels),
    task_inputs: inputs && jsonText(inputs),
    run_count: readCount(run, 'run_count'),
    flow_run_run_count: readCount(run, 'flow_run_run_count'),
    expected_start_time: nullOr(run, 'expected_start_time', readTime),
    next_scheduled_start_time: nullOr(run, 'next_scheduled_start_time', readTime),
    start_time: nullOr(run, 'start_time', readTime),
    end_time: nullOr(run, 'end_time', readTime),
    total_run_time: readDuration(run, 'total_run_time'),
  })
}

const omitUndefined = (columns: { [K in keyof TaskRunRow]?: TaskRunRow[K] | undefined }): Partial<TaskRunRow> =>
  Object.fromEntries(Object.entries(columns).filter(([, value]) => value !== undefined))

const readObject = (fields: Fields, key: string): Fields | undefined => (isJsonObject(fields[key]) ? (fields[key] as Fields) : undefined)

const readText = (fields: Fields, key: string): string | undefined => (typeof fields[key] === 'string' ? toStorable(fields[key]) : undefined)

const readNumber = (fields: Fields, key: string): number | undefined => {
  const value = fields[key] instanceof ExactNumber ? fields[key].value : fields[key]
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined
}

const readCount = (fields: Fields, key: string): number | undefined => {
  const value = readNumber(fields, key)
  return value !== undefined && Number.isSafeInteger(value) && value >= 0 ? value : undefined
}

/** Times are texts or numbers, as elsewhere in the API. */
const readTime = (fields: Fields, key: string): Micros | undefined => parseTime(readText(fields, key) ?? String(readNumber(fields, key) ?? ''))

const durationMax: Micros = 9_000_000_000_000_000

/** Null is a value, not a missing field: it clears the end time of a retried run, for example. */
const nullOr = <T>(fields: Fields, key: string, read: (fields: Fields, key: string) => T | undefined): T | null | undefined =>
  fields[key] === null ? null : read(fields, key)

const readDuration = (fields: Fields, key: string): Micros | undefined => {
  const seconds = readNumber(fields, key) ?? parseDurationOrSeconds(readText(fields, key) ?? '')
  // Larger values do not fit into a JavaScript number: they could be written, but not read again.
  return seconds === undefined ? undefined : Math.min(Math.max(Math.round(seconds * MICROS_PER_SECOND), -durationMax), durationMax)
}
