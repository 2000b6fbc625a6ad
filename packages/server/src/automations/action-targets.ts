import type { ResourceLabels } from '../lib/event-record.ts'
import { type ActionContext, ActionFailed } from './action-context.ts'
import { firstOfKind, idOf } from './trigger-facts.ts'

interface TargetSource {
  readonly source: 'selected' | 'inferred'
}

/** The thing that an action names, or the first of its kind that the event names. */
export function resolveTargetId({ action, facts }: ActionContext, kind: string, selected: string | null): string {
  if ((action as unknown as TargetSource).source === 'selected' && selected) return selected
  const what = kind.replace('prefect.', '').replaceAll('-', ' ')
  if (!facts.event) throw new ActionFailed(facts.missing ?? `There is no event to find the ${what} by`)
  const found = firstOfKind(facts.event, kind)
  if (!found) throw new ActionFailed(`The event names no ${what}`)
  return found.id
}

/** A trigger that tells runs apart knows its run by the label, also when no event came. */
export function resolveFlowRunId({ facts }: ActionContext): string {
  const label = facts.labels['prefect.resource.id']
  const id = (label === undefined ? undefined : idOf(label, 'prefect.flow-run')) ?? firstOfKind(facts.event, 'prefect.flow-run')?.id
  if (id === undefined) throw new ActionFailed(facts.missing ?? 'Neither the event nor the labels of the trigger name a flow run')
  return id
}

export const targetResource = (kind: string, id: string, more: ResourceLabels = {}): ResourceLabels => ({
  'prefect.resource.id': `${kind}.${id}`,
  'prefect.resource.role': 'target',
  ...more,
})
