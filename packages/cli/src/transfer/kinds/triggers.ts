import { closestMatch } from '@millrace/server/config/closest-match.ts'
import { type Checker, integer, list, nullable, number, object, oneOf, optional, record, required, type Spec, text } from '../field-spec.ts'
import { describeType, type Item, isObject, mapLeaves } from '../json-value.ts'
import { Reference, type ReferenceKind, referenceKinds } from '../placeholders.ts'
import type { Path } from '../problems.ts'
import type { ServerState } from '../server-state.ts'

/** A value of a label. The resource of something that the file can name is a reference. */
const labelValue: Spec = (value, path, checker) => {
  if (value instanceof Reference) checker.reference(value.kind, value.name, path)
  else text()(value, path, checker)
  return value
}

const labels: Spec = record((value, path, checker) => (Array.isArray(value) ? list(labelValue) : labelValue)(value, path, checker))
const related: Spec = (value, path, checker) => (Array.isArray(value) ? list(labels) : labels)(value, path, checker)

/** Names without repetition, as the server keeps them. */
const names: Spec = (value, path, checker) => {
  const found = list(text())(value, path, checker)
  return Array.isArray(found) ? [...new Set(found)] : found
}

const requirement: Spec = (value, path, checker) =>
  typeof value === 'string' ? oneOf('any', 'all')(value, path, checker) : integer({ min: 1 })(value, path, checker)

/** A proactive trigger waits at least this long. */
const proactiveSecondsMin = 10

const eventTrigger = object({
  type: required(text()),
  posture: required(oneOf('Reactive', 'Proactive')),
  match: optional(labels, {}),
  match_related: optional(related, {}),
  after: optional(names, []),
  expect: optional(names, []),
  for_each: optional(names, []),
  threshold: optional(integer(), 1),
  within: optional(number({ min: 0 }), 0),
})

/** Triggers contain triggers. */
const inner: Spec = (value, path, checker) => list(triggerSpec)(value, path, checker)

const compoundTrigger = object({
  type: required(text()),
  require: required(requirement),
  within: required(nullable(number({ min: 0 }))),
  triggers: required(inner),
})
const sequenceTrigger = object({ type: required(text()), within: required(nullable(number({ min: 0 }))), triggers: required(inner) })

const variants: Readonly<Record<string, Spec>> = { event: eventTrigger, compound: compoundTrigger, sequence: sequenceTrigger }

export const triggerSpec: Spec = (value, path, checker) => {
  const variant = variantOf(value, path, checker, variants)
  if (!variant) return value
  const item = variant({ type: 'event', ...(value as Item) }, path, checker) as Item
  return item.posture === 'Proactive' && item.within === undefined ? { ...item, within: proactiveSecondsMin } : item
}

/** The spec for the `type` of a value; `event` is the default of triggers. */
export function variantOf(value: unknown, path: Path, { problem }: Checker, specs: Readonly<Record<string, Spec>>): Spec | undefined {
  if (!isObject(value)) {
    problem(path, `Must be a mapping, not ${describeType(value)}.`)
    return undefined
  }
  const type = value.type ?? (Object.hasOwn(specs, 'event') ? 'event' : undefined)
  if (typeof type === 'string' && Object.hasOwn(specs, type)) return specs[type]
  const meant = typeof type === 'string' ? closestMatch(type, Object.keys(specs)) : undefined
  if (type === undefined) problem(path, `Missing key "type": one of ${Object.keys(specs).join(', ')}.`)
  else problem([...path, 'type'], `Unknown type "${type}".${meant ? ` Did you mean "${meant}"?` : ` Use one of ${Object.keys(specs).join(', ')}.`}`)
  return undefined
}

const resourcePattern = new RegExp(`^(!?)prefect\\.(${referenceKinds.join('|')})\\.([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$`)

/** The kinds of resources whose ids are in the labels of triggers. */
export function resourceKinds(triggers: readonly unknown[]): Set<ReferenceKind> {
  const kinds = new Set<ReferenceKind>()
  mapLeaves(triggers, (leaf) => {
    const kind = typeof leaf === 'string' ? resourcePattern.exec(leaf)?.[2] : undefined
    if (kind) kinds.add(kind as ReferenceKind)
    return leaf
  })
  return kinds
}

/** Replaces ids of resources by names. Ids of triggers are left out. */
export function toTriggerItem(server: ServerState, trigger: Item): Item {
  const { id: _id, triggers, ...others } = trigger
  const named = mapLeaves(others, (leaf) => {
    const [, negation, kind, id] = (typeof leaf === 'string' && resourcePattern.exec(leaf)) || []
    const name = kind === undefined ? undefined : server.nameOf(kind as ReferenceKind, id as string)
    return name === undefined ? leaf : new Reference(kind as ReferenceKind, name, negation === '!')
  }) as Item
  return Array.isArray(triggers) ? { ...named, triggers: triggers.map((each) => toTriggerItem(server, each)) } : named
}

/** Replaces names of resources by ids. */
export const toTriggerBody = (server: ServerState, trigger: Item): Item =>
  mapLeaves(trigger, (leaf) =>
    leaf instanceof Reference ? `${leaf.isNegated ? '!' : ''}prefect.${leaf.kind}.${server.idOf(leaf.kind, leaf.name)}` : leaf,
  ) as Item
