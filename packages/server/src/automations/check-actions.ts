import type { Action } from '@millrace/contracts/action.ts'
import type { Fault } from '../errors.ts'
import { checkParameters, checkTemplateText } from './check-parameters.ts'
import { prettyJson } from './pretty-json.ts'

type Loc = Fault['loc']

/** Actions that name their target when it is `selected`, by the field that names it. */
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

/** Actions as they are kept; what is wrong with them is told. */
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
