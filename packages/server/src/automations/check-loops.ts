import type { Action } from '@millrace/contracts/action.ts'
import type { ResourceSpecification } from '@millrace/contracts/event-filter.ts'
import type { Trigger } from '@millrace/contracts/trigger.ts'
import type { Fault } from '../errors.ts'

/** Every flow run emits these. An automation that starts a run for each of them loops. */
const eventsOfEveryRun = ['prefect.flow-run.Scheduled', 'prefect.flow-run.Pending', 'prefect.flow-run.Running', 'prefect.flow-run.*']

interface LoopCandidate {
  readonly enabled: boolean
  readonly trigger: Trigger
  readonly actions: readonly Action[]
}

/** Rejects an automation that would start flow runs in a loop. */
export function checkLoops({ enabled, trigger, actions }: LoopCandidate, loc: Fault['loc'], faults: Fault[]): void {
  if (!enabled || trigger.type !== 'event' || trigger.posture !== 'Reactive') return
  if (!eventsOfEveryRun.some((name) => trigger.expect.includes(name))) return
  const related = Array.isArray(trigger.match_related) ? trigger.match_related : [trigger.match_related]
  const isUnrestricted = matchesEveryRun(trigger.match) && related.some(matchesEveryRun)
  for (const action of actions) {
    if (action.type !== 'run-deployment' || (action.source === 'selected' && !isUnrestricted)) continue
    const msg =
      action.source === 'inferred'
        ? 'This trigger would run its own deployment in a loop. Select a deployment and narrow the trigger.'
        : 'This trigger would run the deployment for its own flow runs in a loop. Narrow `match` or `match_related`.'
    faults.push({ loc, type: 'value_error', msg, ctx: { error: msg } })
    return
  }
}

function matchesEveryRun(specification: ResourceSpecification): boolean {
  const labels = Object.keys(specification)
  if (labels.length === 0) return true
  const ids = specification['prefect.resource.id']
  return labels.length === 1 && ids !== undefined && (typeof ids === 'string' ? [ids] : ids).includes('prefect.flow-run.*')
}
