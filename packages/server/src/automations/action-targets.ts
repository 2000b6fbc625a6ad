import type { ResourceLabels } from '../lib/event-record.ts'
import { type ActionContext, ActionFailed } from './action-context.ts'
import { firstOfKind, idOf } from './trigger-facts.ts'

interface TargetSource {
  readonly source: 'selected' | 'inferred'
}

/** The target that the action selects, or the first resource of its kind in the event. */
export function resolveTargetId({ action, facts }: ActionContext, kind: string, selected: string | null): string {
  if ((action as unknown as TargetSource).source === 'selected' && selected) return selected
  const noun = kind.replace('prefect.', '').replaceAll('-', ' ')
  if (!facts.event) throw new ActionFailed(facts.missing ?? `No event to infer the ${noun} from. Select a ${noun} in the action.`)
  const found = firstOfKind(facts.event, kind)
  if (!found) throw new ActionFailed(`The event names no ${noun}. Select a ${noun} in the action.`)
  return found.id
}

/** The flow run of the trigger's `for_each` label, which is known even without an event, or else of the event. */
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
