import type { ResourceSpecification } from '@millrace/contracts/event-filter.ts'
import { type EventTriggerDraft, toList, toMatchRelated, withTriggerDefaults } from './event-trigger.ts'
import { stateTypeName, stateTypes } from './states.ts'

/** Resources that emit an event named after each new state. */
export const statusKinds = {
  'flow-run': {
    label: 'Flow run state',
    noun: 'a run',
    states: [...stateTypes.map(stateTypeName), 'Late', 'Suspended'],
    /** Roles of related resources that the form can filter by. */
    roles: ['flow', 'deployment', 'tag'],
  },
  deployment: { label: 'Deployment status', noun: 'a deployment', states: ['ready', 'not-ready', 'disabled'], roles: [] },
  'work-pool': { label: 'Work pool status', noun: 'a work pool', states: ['ready', 'not-ready', 'paused'], roles: [] },
  'work-queue': { label: 'Work queue status', noun: 'a work queue', states: ['ready', 'not-ready', 'paused'], roles: [] },
} as const satisfies Record<string, { label: string; noun: string; states: readonly string[]; roles: readonly string[] }>

export type StatusKind = keyof typeof statusKinds

export const isStatusKind = (kind: string): kind is StatusKind => Object.hasOwn(statusKinds, kind)

export const formatStateName = (state: string): string => {
  const words = state.replaceAll('-', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** Trigger such as "a run of these flows enters Failed" or "this pool stays not ready for five minutes". */
export interface StatusTrigger {
  readonly kind: StatusKind
  readonly states: readonly string[]
  /** Fires if no other state follows within the time, not at once. */
  readonly stays: boolean
  readonly seconds: number
  readonly times: number
  /** Ids of the resources. Empty for all of the kind. */
  readonly resourceIds: readonly string[]
  /** Ids of related resources by role. */
  readonly related: Readonly<Record<string, readonly string[]>>
  readonly forEach: readonly string[]
}

const idLabel = 'prefect.resource.id'
const roleLabel = 'prefect.resource.role'

export const defaultStatus = (kind: StatusKind): StatusTrigger => ({
  kind,
  states: kind === 'flow-run' ? ['Failed', 'Crashed'] : ['not-ready'],
  stays: false,
  seconds: 0,
  times: 1,
  resourceIds: [],
  related: {},
  forEach: [idLabel],
})

export function toEventTrigger({ kind, states, stays, seconds, times, resourceIds, related, forEach }: StatusTrigger): EventTriggerDraft {
  const names = states.map((state) => `prefect.${kind}.${state}`)
  const specs = Object.entries(related)
    .filter(([, ids]) => ids.length > 0)
    .map(([role, ids]): ResourceSpecification => ({ [roleLabel]: role, [idLabel]: [...ids] }))
  return {
    type: 'event',
    match: { [idLabel]: resourceIds.length === 0 ? `prefect.${kind}.*` : [...resourceIds] },
    match_related: toMatchRelated(specs),
    after: stays ? names : [],
    expect: stays ? [`prefect.${kind}.*`] : names,
    for_each: [...forEach],
    posture: stays ? 'Proactive' : 'Reactive',
    threshold: times,
    within: seconds,
  }
}

/** Converts an event trigger to a status trigger, if nothing would be lost. */
export function toStatusTrigger(trigger: EventTriggerDraft): StatusTrigger | undefined {
  const { match, related, after, expect, for_each, posture, threshold, within } = withTriggerDefaults(trigger)
  const ids = toList(match[idLabel])
  const kind = /^prefect\.([a-z-]+)\./.exec(ids[0] ?? '')?.[1] ?? ''
  if (!isStatusKind(kind)) return undefined
  const stays = posture === 'Proactive'
  const start = `prefect.${kind}.`
  const status: StatusTrigger = {
    kind,
    states: (stays ? after : expect).map((name) => name.slice(start.length)),
    stays,
    seconds: within,
    times: threshold,
    resourceIds: ids.length === 1 && ids[0] === `${start}*` ? [] : ids,
    related: Object.fromEntries(related.map((spec) => [String(spec[roleLabel]), toList(spec[idLabel])])),
    forEach: for_each,
  }
  const isKnown = status.states.every((state) => (statusKinds[kind].states as readonly string[]).includes(state))
  const rolesKnown = Object.keys(status.related).every((role) => (statusKinds[kind].roles as readonly string[]).includes(role))
  return isKnown && rolesKnown && isSameTrigger(toEventTrigger(status), trigger) ? status : undefined
}

/** Treats a single value and a list of one as equal. */
function isSameTrigger(one: EventTriggerDraft, other: EventTriggerDraft): boolean {
  const spelled = (spec: ResourceSpecification) =>
    Object.entries(spec)
      .map(([label, value]) => [label, toList(value)] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1))
  const text = (trigger: EventTriggerDraft) => {
    const { match, related, ...rest } = withTriggerDefaults(trigger)
    return JSON.stringify([spelled(match), related.map(spelled), rest])
  }
  return text(one) === text(other)
}
