import type { Action } from '@millrace/contracts/action.ts'
import type { Fault } from '../errors.ts'
import { sourceText } from '../lib/json-exact.ts'
import { checkParameters, checkTemplateText } from './check-parameters.ts'

type Loc = Fault['loc']

/** The field that names the target of an action with `source: selected`. */
const targetFields = {
  'run-deployment': 'deployment_id',
  'pause-deployment': 'deployment_id',
  'resume-deployment': 'deployment_id',
  'pause-work-queue': 'work_queue_id',
  'resume-work-queue': 'work_queue_id',
  'pause-work-pool': 'work_pool_id',
  'resume-work-pool': 'work_pool_id',
  'pause-automation': 'automation_id',
  'resume-automation': 'automation_id',
} as const

/** Normalizes actions for storage and collects their faults. */
export const completeActions = (actions: readonly Action[], loc: Loc, faults: Fault[]): Action[] =>
  actions.map((action, index) => completeAction(action, [...loc, index], faults))

function completeAction(action: Action, loc: Loc, faults: Fault[]): Action {
  if (action.type in targetFields) checkTarget(action as TargetedAction, loc, faults)
  switch (action.type) {
    case 'run-deployment':
      checkParameters(action.parameters, [...loc, 'parameters'], faults)
      return action
    case 'send-notification':
      checkTemplateText(action.subject, [...loc, 'subject'], faults)
      checkTemplateText(action.body, [...loc, 'body'], faults)
      return action
    case 'call-webhook': {
      const payload: unknown = action.payload
      if (payload === null) faults.push({ loc: [...loc, 'payload'], type: 'string_type', msg: 'Input should be a valid string', input: payload })
      const text = typeof payload === 'string' ? payload : prettyJson(payload)
      checkTemplateText(text, [...loc, 'payload'], faults)
      return { ...action, payload: text }
    }
    default:
      return action
  }
}

interface TargetedAction {
  readonly type: keyof typeof targetFields
  readonly source: 'selected' | 'inferred'
  readonly [field: string]: unknown
}

function checkTarget(action: TargetedAction, loc: Loc, faults: Fault[]): void {
  const field = targetFields[action.type]
  const named = action[field] != null
  if (named === (action.source === 'selected')) return
  const msg = named ? `${field} is not allowed with an inferred source` : `${field} is required with a selected source`
  faults.push({ loc: [...loc, field], type: 'value_error', msg, ctx: { error: msg } })
}

/** Formats JSON over several lines. Numbers keep the text in which they were sent. */
function prettyJson(value: unknown, indent = ''): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const innerIndent = `${indent}  `
  const items = Array.isArray(value)
    ? value.map((item) => prettyJson(item, innerIndent))
    : isExactNumber(value)
      ? undefined
      : Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}: ${prettyJson(item, innerIndent)}`)
  if (!items) return sourceText(value) as string
  const [open, close] = Array.isArray(value) ? '[]' : '{}'
  return items.length === 0 ? `${open}${close}` : `${open}\n${innerIndent}${items.join(`,\n${innerIndent}`)}\n${indent}${close}`
}

/** Numbers that keep their source text are objects of a class. */
const isExactNumber = (value: object): boolean => Object.getPrototypeOf(value) !== Object.prototype
