import type { Action } from '@millrace/contracts/action.ts'
import type { AutomationDraft } from '../../api/automations.ts'

export type ActionType = Action['type']
/** Action as edited. */
export type ActionDraft = AutomationDraft['actions'][number]

export type TargetField = 'deployment_id' | 'work_pool_id' | 'work_queue_id' | 'automation_id'

interface ActionKind {
  readonly label: string
  readonly group: string
  /** Field of the target id, for actions that can also take the target from the event. */
  readonly target?: TargetField
}

/** All action types, in the order of the menu. */
export const actionKinds: Readonly<Record<ActionType, ActionKind>> = {
  'send-notification': { label: 'Send a notification', group: 'Notify' },
  'call-webhook': { label: 'Call a webhook', group: 'Notify' },
  'run-deployment': { label: 'Run a deployment', group: 'Deployments', target: 'deployment_id' },
  'pause-deployment': { label: 'Pause a deployment', group: 'Deployments', target: 'deployment_id' },
  'resume-deployment': { label: 'Resume a deployment', group: 'Deployments', target: 'deployment_id' },
  'change-flow-run-state': { label: 'Set the state of the run', group: 'Triggering run' },
  'cancel-flow-run': { label: 'Cancel the run', group: 'Triggering run' },
  'suspend-flow-run': { label: 'Suspend the run', group: 'Triggering run' },
  'resume-flow-run': { label: 'Resume the run', group: 'Triggering run' },
  'delete-flow-run': { label: 'Delete the run', group: 'Triggering run' },
  'pause-work-pool': { label: 'Pause a work pool', group: 'Work pools', target: 'work_pool_id' },
  'resume-work-pool': { label: 'Resume a work pool', group: 'Work pools', target: 'work_pool_id' },
  'pause-work-queue': { label: 'Pause a work queue', group: 'Work pools', target: 'work_queue_id' },
  'resume-work-queue': { label: 'Resume a work queue', group: 'Work pools', target: 'work_queue_id' },
  'pause-automation': { label: 'Pause an automation', group: 'Automations', target: 'automation_id' },
  'resume-automation': { label: 'Resume an automation', group: 'Automations', target: 'automation_id' },
  'do-nothing': { label: 'Do nothing', group: 'Automations' },
}

export const targetKindByField: Readonly<Record<TargetField, string>> = {
  deployment_id: 'deployment',
  work_pool_id: 'work-pool',
  work_queue_id: 'work-queue',
  automation_id: 'automation',
}

export const isActionType = (type: unknown): type is ActionType => typeof type === 'string' && Object.hasOwn(actionKinds, type)

const defaultFields: Partial<Record<ActionType, Readonly<Record<string, unknown>>>> = {
  'change-flow-run-state': { state: 'CANCELLED' },
  'send-notification': {
    subject: '{{ event.resource.name }}: {{ event.event }}',
    body: '{{ event.event }}\nat {{ event.occurred }}\n{{ event.resource.name }}: {{ event|ui_url }}',
  },
  'call-webhook': { payload: '' },
}

/** New action of a type. Keeps the fields that both types share. */
export function createAction(type: ActionType, from: ActionDraft | undefined): ActionDraft {
  const { target } = actionKinds[type]
  const before = (from ?? {}) as Readonly<Record<string, unknown>>
  const isSameTarget = from !== undefined && isActionType(from.type) && actionKinds[from.type].target === target
  const isTold = (type === 'send-notification' || type === 'call-webhook') && typeof before.block_document_id === 'string'
  return {
    type,
    ...defaultFields[type],
    ...(target && { source: isSameTarget ? (before.source ?? 'selected') : 'selected', ...(isSameTarget && { [target]: before[target] }) }),
    ...(isTold && { block_document_id: before.block_document_id }),
  } as ActionDraft
}
