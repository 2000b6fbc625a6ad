import type { Action } from '@millrace/contracts/action.ts'
import type { ResourceSpecification } from '@millrace/contracts/event-filter.ts'
import type { Trigger } from '@millrace/contracts/trigger.ts'
import type { Fault } from '../errors.ts'

/** Every run of a deployment goes through these: an automation that answers them with a run of its own never ends. */
const eventsOfEveryRun = ['prefect.flow-run.Scheduled', 'prefect.flow-run.Pending', 'prefect.flow-run.Running', 'prefect.flow-run.*']

interface LoopCandidate {
  readonly enabled: boolean
  readonly trigger: Trigger
  readonly actions: readonly Action[]
}

/** Refuses an automation that would run deployments for ever. */
export function checkLoops({ enabled, trigger, actions }: LoopCandidate, loc: Fault['loc'], faults: Fault[]): void {
  if (!enabled || trigger.type !== 'event' || trigger.posture !== 'Reactive') return
  if (!eventsOfEveryRun.some((name) => trigger.expect.includes(name))) return
  const related = Array.isArray(trigger.match_related) ? trigger.match_related : [trigger.match_related]
  const wide = matchesEveryRun(trigger.match) && related.some(matchesEveryRun)
  for (const action of actions) {
    if (action.type !== 'run-deployment' || (action.source === 'selected' && !wide)) continue
    const msg =
      action.source === 'inferred'
        ? 'Running the deployment of the very run that changed its state would go on for ever; select a deployment and narrow down the trigger'
        : 'Running a deployment whenever any flow run changes its state may go on for ever; narrow down `match` or `match_related`'
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
