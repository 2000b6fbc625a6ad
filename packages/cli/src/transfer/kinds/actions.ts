import { SendNotification } from '@millrace/contracts/action.ts'
import { stateTypes } from '@millrace/contracts/state.ts'
import { toRequest, withBlockNames } from '../block-references.ts'
import { type Fields, flag, freeObject, named, nullable, number, object, oneOf, optional, required, type Spec, text } from '../field-spec.ts'
import type { Item } from '../json-value.ts'
import type { ReferenceKind } from '../placeholders.ts'
import type { ServerState } from '../server-state.ts'
import { variantOf } from './triggers.ts'

interface Target {
  /** The key of the file, which names the target. */
  readonly key: string
  /** The key of the API, which has its id. The file has it too if the target does not exist any more. */
  readonly idKey: string
  readonly kind: ReferenceKind
}

const target = (key: string, kind: ReferenceKind): Target => ({ key, idKey: `${key}_id`, kind })

const deployment = target('deployment', 'deployment')
const workQueue = target('work_queue', 'work-queue')
const workPool = target('work_pool', 'work-pool')
const automation = target('automation', 'automation')
const blockDocument = target('block_document', 'block-document')

/** The targets of actions by type. */
const targets: Readonly<Record<string, Target>> = {
  'run-deployment': deployment,
  'pause-deployment': deployment,
  'resume-deployment': deployment,
  'pause-work-queue': workQueue,
  'resume-work-queue': workQueue,
  'pause-work-pool': workPool,
  'resume-work-pool': workPool,
  'pause-automation': automation,
  'resume-automation': automation,
  'call-webhook': blockDocument,
  'send-notification': blockDocument,
}

const source: Fields = { source: optional(oneOf('selected', 'inferred'), 'selected') }
const defaultSubject = (SendNotification.properties.subject as unknown as { default: string }).default

const ownFields: Readonly<Record<string, Fields>> = {
  'do-nothing': {},
  'run-deployment': {
    ...source,
    parameters: optional(nullable(freeObject), null),
    job_variables: optional(nullable(freeObject), null),
    schedule_after: optional(number({ min: 0 }), 0),
  },
  'pause-deployment': source,
  'resume-deployment': source,
  'cancel-flow-run': {},
  'delete-flow-run': {},
  'change-flow-run-state': {
    state: required(oneOf(...stateTypes)),
    name: optional(nullable(text()), null),
    message: optional(nullable(text()), null),
    force: optional(flag, false),
  },
  'suspend-flow-run': {},
  'resume-flow-run': {},
  'pause-work-queue': source,
  'resume-work-queue': source,
  'pause-work-pool': source,
  'resume-work-pool': source,
  'pause-automation': source,
  'resume-automation': source,
  'call-webhook': { payload: optional(text(), '') },
  'send-notification': { subject: optional(text(), defaultSubject), body: required(text()) },
}

const specs: Readonly<Record<string, Spec>> = Object.fromEntries(
  Object.entries(ownFields).map(([type, fields]) => {
    const found = targets[type]
    const targetFields: Fields = found ? { [found.key]: optional(named(found.kind)), [found.idKey]: optional(text()) } : {}
    return [type, object({ type: required(text()), ...targetFields, ...fields })]
  }),
)

export const actionSpec: Spec = (value, path, checker) => {
  const spec = variantOf(value, path, checker, specs)
  if (!spec) return value
  const item = spec(value, path, checker) as Item
  const found = targets[item.type as string]
  if (!found) return item
  const isNamed = item[found.key] !== undefined || item[found.idKey] !== undefined
  if (item.source === 'inferred' && isNamed) checker.problem([...path, found.key], `An inferred action has no "${found.key}". The event names it.`)
  if (item.source !== 'inferred' && !isNamed) {
    const hint = Object.hasOwn(ownFields[item.type as string] ?? {}, 'source') ? ', or "source: inferred"' : ''
    checker.problem(path, `Missing key "${found.key}"${hint}.`)
  }
  return item
}

/** The kinds that actions name by id. */
export const targetKinds = (actions: readonly Item[]): Set<ReferenceKind> =>
  new Set(actions.flatMap(({ type }) => targets[type as string]?.kind ?? []))

export function toActionItem(server: ServerState, action: Item): Item {
  const { parameters, job_variables, ...others } = action
  const item = { ...others, parameters: withBlockNames(server, parameters), job_variables: withBlockNames(server, job_variables) }
  const known = Object.fromEntries(Object.entries(item).filter(([, value]) => value !== undefined))
  const found = targets[action.type as string]
  if (!found) return known
  const { [found.idKey]: id, ...rest } = known
  const name = typeof id === 'string' ? server.nameOf(found.kind, id) : undefined
  if (name !== undefined) return { ...rest, [found.key]: name }
  return id == null ? rest : { ...rest, [found.idKey]: id }
}

export function toActionBody(server: ServerState, action: Item): Item {
  const body = toRequest(server, action)
  const found = targets[action.type as string]
  const name = found && body[found.key]
  if (!found || name === undefined) return body
  const { [found.key]: _name, ...others } = body
  return { ...others, [found.idKey]: server.idOf(found.kind, name as string) }
}

/** The automations that an action pauses or resumes. */
export const namedAutomations = (actions: unknown): string[] =>
  Array.isArray(actions) ? actions.flatMap((action: Item) => (typeof action.automation === 'string' ? [action.automation] : [])) : []
