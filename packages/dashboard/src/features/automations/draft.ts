import type { Automation } from '@millrace/contracts/automation.ts'
import type { ReceivedEvent } from '@millrace/contracts/event.ts'
import type { AutomationDraft } from '../../api/automations.ts'
import { isActionType } from './action-kinds.ts'
import { blankStatus, writeStatus } from './status-trigger.ts'
import { blankEvent, isGroup, type TriggerDraft } from './trigger-draft.ts'

export const blankDraft = (trigger: TriggerDraft = writeStatus(blankStatus('flow-run'))): AutomationDraft => ({
  name: '',
  description: '',
  enabled: true,
  tags: [],
  trigger,
  actions: [],
  actions_on_trigger: [],
  actions_on_resolve: [],
})

/** What a person may write of an automation: without what the server makes, such as ids and times. */
export function draftOf(automation: Automation): AutomationDraft {
  const { name, description, enabled, tags, trigger, actions, actions_on_trigger, actions_on_resolve } = automation
  return { name, description, enabled, tags, trigger: withoutIds(trigger), actions, actions_on_trigger, actions_on_resolve }
}

export function withoutIds(trigger: TriggerDraft): TriggerDraft {
  const { id: _id, ...rest } = trigger as TriggerDraft & { id?: string }
  return isGroup(rest) ? { ...rest, triggers: rest.triggers.map(withoutIds) } : rest
}

/** "Failing runs of this flow", "this pool is not ready": what most people would want of it. */
export function draftAbout(kind: string, id: string, name: string): AutomationDraft | undefined {
  const resource = `prefect.${kind}.${id}`
  if (kind === 'flow' || kind === 'deployment') {
    return { ...blankDraft(writeStatus({ ...blankStatus('flow-run'), related: { [kind]: [resource] } })), name: `${name} fails` }
  }
  if (kind === 'work-pool' || kind === 'work-queue') {
    return { ...blankDraft(writeStatus({ ...blankStatus(kind), things: [resource] })), name: `${name} is not ready` }
  }
  return undefined
}

/** When it happens again, to whatever it happened to. */
export function draftFromEvent({ event, resource }: Pick<ReceivedEvent, 'event' | 'resource'>): AutomationDraft {
  const id = resource['prefect.resource.id'] ?? ''
  // Runs come and go; of other things it is this one that is meant.
  const match = /^prefect\.(?:flow|task)-run\./.exec(id)?.[0]
  return { ...blankDraft({ ...blankEvent(), match: { 'prefect.resource.id': match ? `${match}*` : id }, expect: [event] }), name: event }
}

/** Why a form cannot show what JSON says, if it cannot. */
export function unfitForForm(value: unknown): string | undefined {
  if (!isRecord(value)) return 'An automation is an object'
  const lists = ['actions', 'actions_on_trigger', 'actions_on_resolve']
  for (const key of lists) {
    const list = value[key] ?? []
    if (!Array.isArray(list)) return `\`${key}\` is a list`
    const odd = list.findIndex((each) => !isRecord(each) || !isActionType(each.type))
    if (odd >= 0) return `\`${key}[${odd}]\` is of no type that there is`
  }
  return unfitTrigger(value.trigger, 'trigger')
}

function unfitTrigger(trigger: unknown, at: string): string | undefined {
  if (!isRecord(trigger)) return `\`${at}\` is missing`
  if (trigger.type !== 'compound' && trigger.type !== 'sequence') {
    return trigger.posture === 'Reactive' || trigger.posture === 'Proactive' ? undefined : `\`${at}.posture\` is Reactive or Proactive`
  }
  if (!Array.isArray(trigger.triggers)) return `\`${at}.triggers\` is a list`
  return trigger.triggers.map((each, index) => unfitTrigger(each, `${at}.triggers[${index}]`)).find(Boolean)
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value)
