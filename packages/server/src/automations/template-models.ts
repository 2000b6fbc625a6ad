import { isJsonObject } from '../lib/json-exact.ts'
import { fromJsonValue } from '../lib/template/json.ts'
import { quotedText } from '../lib/template/to-text.ts'
import { boundMethod, type Key, NativeFunction, TemplateObject, Time, TimeSpan, type Value } from '../lib/template/values.ts'
import { MICROS_PER_SECOND, parseTime } from '../lib/time.ts'
import { findLabel } from './triggers/matching.ts'

type Json = Readonly<Record<string, unknown>>
type Labels = Readonly<Record<string, string>>

/** Fields of API objects that hold times and durations. Values inside user data stay as they are. */
const timeFields = new Set([
  'created',
  'updated',
  'timestamp',
  'scheduled_time',
  'expected_start_time',
  'next_scheduled_start_time',
  'start_time',
  'end_time',
  'last_polled',
  'occurred',
  'received',
  'triggered',
])
const durationFields = new Set(['total_run_time', 'estimated_run_time', 'estimated_start_time_delta', 'within', 'schedule_after'])
/** Fields that hold user data. */
const userFields = new Set([
  'parameters',
  'job_variables',
  'context',
  'data',
  'payload',
  'labels',
  'base_job_template',
  'parameter_openapi_schema',
  'match',
  'match_related',
])

/** Converts the JSON of an API object to a template object. */
export function toModel(kind: string, json: Json, more: Readonly<Record<string, Value>> = {}): TemplateObject {
  const attributes = new Map<string, Value>(Object.entries(json).map(([name, value]) => [name, toField(name, value)]))
  for (const [name, value] of Object.entries(more)) attributes.set(name, value)
  const fields = new Map([...attributes].filter(([name]) => Object.hasOwn(json, name)))
  return new TemplateObject(kind, attributes, { fields })
}

function toField(name: string, value: unknown): Value {
  if (userFields.has(name)) return fromJsonValue(value)
  if (typeof value === 'string' && timeFields.has(name)) {
    const micros = parseTime(value)
    return micros === undefined ? value : new Time(micros)
  }
  if (typeof value === 'number' && durationFields.has(name)) return new TimeSpan(Math.round(value * MICROS_PER_SECOND))
  if (Array.isArray(value)) return value.map((item) => toField('', item))
  return isJsonObject(value) ? toModel(name, value) : fromJsonValue(value)
}

/** Labels by path (`labels.prefect.resource.id`) and by full name (`labels['prefect.resource.id']`). */
export function labelsModel(labels: Labels, text = ''): TemplateObject {
  const nested = new Map<string, Record<string, string>>()
  const values = new Map<string, string>()
  for (const [name, value] of Object.entries(labels)) {
    const dot = name.indexOf('.')
    if (dot < 0) values.set(name, value)
    else {
      const head = name.slice(0, dot)
      nested.set(head, { ...nested.get(head), [name.slice(dot + 1)]: value })
    }
  }
  const heads = new Set([...nested.keys(), ...values.keys()])
  const attributes = new Map<string, Value>([...heads].map((head) => [head, labelsModel(nested.get(head) ?? {}, values.get(head) ?? '')]))
  return new TemplateObject('labels', attributes, { items: new Map(Object.entries(labels)), text })
}

export function resourceModel(labels: Labels): TemplateObject {
  const attributes = new Map<string, Value>([
    ['id', labels['prefect.resource.id'] ?? null],
    ['name', labels['prefect.resource.name'] ?? null],
    ['labels', labelsModel(labels)],
    ...(labels['prefect.resource.role'] === undefined ? [] : [['role', labels['prefect.resource.role']] as [string, Value]]),
  ])
  return new TemplateObject('resource', attributes, { items: new Map(Object.entries(labels)) })
}

export function eventModel(json: Json, url: string | null): TemplateObject {
  const resource = resourceModel(json.resource as Labels)
  const related = (json.related as Labels[]).map(resourceModel)
  const roleOf = (one: TemplateObject): Key => one.attributes.get('role') as string
  const byRole = Map.groupBy(related, roleOf)
  const first = new Map([...byRole].map(([role, [one]]) => [role, one as Value]))
  const find = boundMethod<TemplateObject>('find_resource_label', (_self, { positional: [label] }) =>
    typeof label === 'string' ? (findLabel({ resource: json.resource as Labels, related: json.related as Labels[] }, label) ?? null) : null,
  )
  const model = toModel('received-event', json, {
    resource,
    related,
    resource_in_role: first,
    resources_in_role: byRole as ReadonlyMap<Key, Value>,
    involved_resources: [resource, ...related],
    find_resource_label: find(resource),
    url,
  })
  return model
}

/** A firing with its child firings and its event. */
export function firingModel(json: Json, urlOf: (event: Json) => string | null): TemplateObject {
  const event = json.triggering_event as Json | null
  return toModel('firing', json, {
    triggering_labels: new Map(Object.entries(json.triggering_labels as Labels)),
    triggering_event: event && eventModel(event, urlOf(event)),
    triggering_firings: (json.triggering_firings as Json[]).map((inner) => firingModel(inner, urlOf)),
  })
}

const finalTypes = ['COMPLETED', 'FAILED', 'CANCELLED', 'CRASHED']
const stateTypes = ['SCHEDULED', 'PENDING', 'RUNNING', 'PAUSED', 'CANCELLING', ...finalTypes]

/** A state with predicates such as `is_completed()`. */
export function stateModel(json: Json): TemplateObject {
  const type = String(json.type)
  const predicates = new Map(stateTypes.map((stateType) => [`is_${stateType.toLowerCase()}`, type === stateType]))
  predicates.set('is_final', finalTypes.includes(type))
  const { attributes, fields } = toModel(
    'state',
    json,
    Object.fromEntries([...predicates].map(([name, result]) => [name, new NativeFunction(name, () => result)])),
  )
  const details = [
    ...(json.message ? [quotedText(String(json.message))] : []),
    ...(type.toLowerCase() === String(json.name).toLowerCase() ? [] : [`type=${type}`]),
  ]
  return new TemplateObject('state', attributes, { fields, text: `${json.name}(${details.join(', ')})` })
}

/** A run with the state of the event. The run may have changed since. */
export function runModel(kind: 'flow-run' | 'task-run', json: Json, labels: Labels): TemplateObject {
  const eventState = {
    type: labels['prefect.state-type'],
    name: labels['prefect.state-name'],
    message: labels['prefect.state-message'],
    timestamp: labels['prefect.state-timestamp'],
  }
  const hasEventState = Object.values(eventState).every((value) => value !== undefined)
  const state = hasEventState ? { ...((json.state as Json | null) ?? {}), ...eventState } : (json.state as Json | null)
  return toModel(kind, json, { state: state && stateModel(state) })
}
