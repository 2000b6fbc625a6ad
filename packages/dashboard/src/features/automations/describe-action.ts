import type { TextPart } from '@millrace/client/vocabulary/describe-trigger.ts'
import type { Action } from '@millrace/contracts/action.ts'
import { type ActionDraft, actionKinds, isActionType, targetKindByField } from './action-kinds.ts'

const verbs: Partial<Record<Action['type'], string>> = {
  'run-deployment': 'Run',
  'pause-deployment': 'Pause',
  'resume-deployment': 'Resume',
  'pause-work-pool': 'Pause',
  'resume-work-pool': 'Resume',
  'pause-work-queue': 'Pause',
  'resume-work-queue': 'Resume',
  'pause-automation': 'Pause',
  'resume-automation': 'Resume',
}

/** Describes an action in plain words. */
export function describeAction(draft: ActionDraft): TextPart[] {
  if (!isActionType(draft.type)) return [{ code: String(draft.type) }]
  // Fields with server defaults may be missing. Each use below applies the default.
  const action = draft as Partial<Record<string, unknown>> & { type: Action['type'] }
  const { target, label } = actionKinds[action.type]
  if (target) {
    const verb = verbs[action.type] ?? label
    const named = action[target]
    const kind = targetKindByField[target]
    const subject: TextPart = typeof named === 'string' ? { resource: `prefect.${kind}.${named}` } : `the ${kind.replaceAll('-', ' ')} from the event`
    const after = typeof action.schedule_after === 'number' && action.schedule_after > 0 ? [' after ', { seconds: action.schedule_after }] : []
    return [`${verb} `, subject, ...after]
  }
  if (action.type === 'change-flow-run-state') return [`Set the run to ${action.name ?? action.state}`]
  if (typeof action.block_document_id === 'string') {
    const block: TextPart = { resource: `prefect.block-document.${action.block_document_id}` }
    return action.type === 'send-notification'
      ? ['Notify through ', block, ...(action.subject ? [': ', { code: String(action.subject) }] : [])]
      : ['Call ', block]
  }
  return [label]
}
