import { isTriggerGroup, type TriggerDraft } from '@millrace/client/vocabulary/event-trigger.ts'
import { defaultStatus, toEventTrigger } from '@millrace/client/vocabulary/status-trigger.ts'
import type { Automation } from '@millrace/contracts/automation.ts'
import type { ReceivedEvent } from '@millrace/contracts/event.ts'
import type { AutomationDraft } from '../../api/automations.ts'
import { isActionType } from './action-kinds.ts'
import { emptyEventTrigger } from './trigger-draft.ts'

export const emptyDraft = (trigger: TriggerDraft = toEventTrigger(defaultStatus('flow-run'))): AutomationDraft => ({
  name: '',
  description: '',
  enabled: true,
  tags: [],
  trigger,
  actions: [],
  actions_on_trigger: [],
  actions_on_resolve: [],
})

/** Editable part of an automation, without ids and times of the server. */
export function toDraft(automation: Automation): AutomationDraft {
  const { name, description, enabled, tags, trigger, actions, actions_on_trigger, actions_on_resolve } = automation
  return { name, description, enabled, tags, trigger: stripTriggerIds(trigger), actions, actions_on_trigger, actions_on_resolve }
}

export function stripTriggerIds(trigger: TriggerDraft): TriggerDraft {
  const { id: _id, ...rest } = trigger as TriggerDraft & { id?: string }
  return isTriggerGroup(rest) ? { ...rest, triggers: rest.triggers.map(stripTriggerIds) } : rest
}

/** Most common automation for a resource: failing runs of a flow, a pool that is not ready. */
export function draftForResource(kind: string, id: string, name: string): AutomationDraft | undefined {
  const resource = `prefect.${kind}.${id}`
  if (kind === 'flow' || kind === 'deployment') {
    return { ...emptyDraft(toEventTrigger({ ...defaultStatus('flow-run'), related: { [kind]: [resource] } })), name: `${name} fails` }
  }
  if (kind === 'work-pool' || kind === 'work-queue') {
    return { ...emptyDraft(toEventTrigger({ ...defaultStatus(kind), resourceIds: [resource] })), name: `${name} is not ready` }
  }
  return undefined
}

/** Automation that fires when the event happens again. */
export function draftFromEvent({ event, resource }: Pick<ReceivedEvent, 'event' | 'resource'>): AutomationDraft {
  const id = resource['prefect.resource.id'] ?? ''
  // Run events match any run; other events match this resource.
  const match = /^prefect\.(?:flow|task)-run\./.exec(id)?.[0]
  return { ...emptyDraft({ ...emptyEventTrigger(), match: { 'prefect.resource.id': match ? `${match}*` : id }, expect: [event] }), name: event }
}

/** Reason why the form cannot show a JSON value, if any. */
export function findFormIncompatibility(value: unknown): string | undefined {
  if (!isRecord(value)) return 'The automation must be an object'
  const lists = ['actions', 'actions_on_trigger', 'actions_on_resolve']
  for (const key of lists) {
    const list = value[key] ?? []
    if (!Array.isArray(list)) return `\`${key}\` must be a list`
    const odd = list.findIndex((each) => !isRecord(each) || !isActionType(each.type))
    if (odd >= 0) return `\`${key}[${odd}]\` has an unknown type`
  }
  return findTriggerIncompatibility(value.trigger, 'trigger')
}

function findTriggerIncompatibility(trigger: unknown, at: string): string | undefined {
  if (!isRecord(trigger)) return `\`${at}\` is missing`
  if (trigger.type !== 'compound' && trigger.type !== 'sequence') {
    return trigger.posture === 'Reactive' || trigger.posture === 'Proactive' ? undefined : `\`${at}.posture\` must be Reactive or Proactive`
  }
  if (!Array.isArray(trigger.triggers)) return `\`${at}.triggers\` must be a list`
  return trigger.triggers.map((each, index) => findTriggerIncompatibility(each, `${at}.triggers[${index}]`)).find(Boolean)
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value)
