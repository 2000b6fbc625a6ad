import { isJsonObject } from '../lib/json-exact.ts'
import { fromJsonValue } from '../lib/template/json.ts'
import { quotedText } from '../lib/template/to-text.ts'
import { boundMethod, type Key, NativeFunction, TemplateObject, Time, TimeSpan, type Value } from '../lib/template/values.ts'
import { MICROS_PER_SECOND, parseTime } from '../lib/time.ts'
import { findLabel } from './triggers/matching.ts'

type Json = Readonly<Record<string, unknown>>
type Labels = Readonly<Record<string, string>>

/** Fields of the server's own things that are times and lengths of time. What people put into payloads and parameters stays as it is. */
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
/** Fields that are people's own: nothing in them is ours to read. */
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

/** One of the server's own things, out of its JSON. */
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

/** Labels, to be dived into: `labels.prefect.resource.id`, and by their whole names. */
export function labelsModel(labels: Labels, text = ''): TemplateObject {
  const inner = new Map<string, Record<string, string>>()
  const own = new Map<string, string>()
  for (const [name, value] of Object.entries(labels)) {
    const dot = name.indexOf('.')
    if (dot < 0) own.set(name, value)
    else {
      const head = name.slice(0, dot)
      inner.set(head, { ...inner.get(head), [name.slice(dot + 1)]: value })
    }
  }
  const heads = new Set([...inner.keys(), ...own.keys()])
  const attributes = new Map<string, Value>([...heads].map((head) => [head, labelsModel(inner.get(head) ?? {}, own.get(head) ?? '')]))
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

/** A firing, with the firings and the event that caused it. */
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

/** A state, with `is_completed()` and its like. */
export function stateModel(json: Json): TemplateObject {
  const type = String(json.type)
  const answers = new Map(stateTypes.map((known) => [`is_${known.toLowerCase()}`, type === known]))
  answers.set('is_final', finalTypes.includes(type))
  const { attributes, fields } = toModel(
    'state',
    json,
    Object.fromEntries([...answers].map(([name, holds]) => [name, new NativeFunction(name, () => holds)])),
  )
  const said = [
    ...(json.message ? [quotedText(String(json.message))] : []),
    ...(type.toLowerCase() === String(json.name).toLowerCase() ? [] : [`type=${type}`]),
  ]
  return new TemplateObject('state', attributes, { fields, text: `${json.name}(${said.join(', ')})` })
}

/** A run as it was when the event was told: it may have gone on since. */
export function runModel(kind: 'flow-run' | 'task-run', json: Json, about: Labels): TemplateObject {
  const told = {
    type: about['prefect.state-type'],
    name: about['prefect.state-name'],
    message: about['prefect.state-message'],
    timestamp: about['prefect.state-timestamp'],
  }
  const isTold = Object.values(told).every((value) => value !== undefined)
  const state = isTold ? { ...((json.state as Json | null) ?? {}), ...told } : (json.state as Json | null)
  return toModel(kind, json, { state: state && stateModel(state) })
}
