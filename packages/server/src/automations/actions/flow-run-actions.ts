import { removeFlowRuns } from '../../domains/flow-runs/delete-runs.ts'
import { prepareResume } from '../../domains/flow-runs/resume.ts'
import { notFound } from '../../errors.ts'
import { addSeconds, sortableTime } from '../../lib/time.ts'
import { changeRunIn } from '../../runs/batch.ts'
import type { ProposeFlowRunState } from '../../runs/command.ts'
import type { Tx } from '../../storage/database.ts'
import { type ActionContext, type ActionKind, type ActionResult, actionKind, callDomain } from '../action-context.ts'
import { resolveFlowRunId, targetResource } from '../action-targets.ts'

/** How long a suspended run waits to be resumed before it fails. */
const suspensionTimeoutSeconds = 3600

export const cancelFlowRun = actionKind('cancel-flow-run', (actionContext, tx) =>
  proposeState(actionContext, tx, { type: 'CANCELLING', message: `Cancelled by the automation "${actionContext.facts.automation.name}"` }),
)

export const changeFlowRunState = actionKind('change-flow-run-state', (actionContext, tx) => {
  const { state, name, message, force } = actionContext.action
  const stateMessage = message || `State changed by the automation "${actionContext.facts.automation.name}"`
  return proposeState(actionContext, tx, { type: state, ...(name === null ? {} : { name }), message: stateMessage }, force)
})

export const suspendFlowRun = actionKind('suspend-flow-run', (actionContext, tx) => {
  const { clock, newId } = actionContext.context
  return proposeState(actionContext, tx, {
    type: 'PAUSED',
    name: 'Suspended',
    message: `Suspended by the automation "${actionContext.facts.automation.name}"`,
    state_details: { pause_timeout: sortableTime(addSeconds(clock.now(), suspensionTimeoutSeconds)), pause_reschedule: true, pause_key: newId() },
  })
})

export const resumeFlowRun: ActionKind<'resume-flow-run'> = {
  type: 'resume-flow-run',
  async prepare(actionContext) {
    const id = resolveFlowRunId(actionContext)
    const related = [targetResource('prefect.flow-run', id)]
    const resume = await callDomain(related, () => prepareResume(actionContext.context, id))
    return async (tx) => {
      const { result } = await callDomain(related, () => resume(tx))
      if (result.status === 'ACCEPT') return { related, details: {} }
      const reason = 'reason' in result.details ? result.details.reason : null
      return { related, details: {}, failure: `The flow run could not be resumed: ${reason ?? result.status}` }
    }
  },
}

export const deleteFlowRun = actionKind('delete-flow-run', async (actionContext, tx) => {
  const id = resolveFlowRunId(actionContext)
  const related = [targetResource('prefect.flow-run', id)]
  await callDomain(related, async () => {
    if ((await removeFlowRuns(actionContext.context, [id])(tx)) === 0) throw notFound('Flow run')
  })
  return { related, details: { status_code: 204 } }
})

/** Proposes a state for the flow run of the event or the trigger's labels. The action fails unless the state is accepted. */
async function proposeState(actionContext: ActionContext, tx: Tx, state: ProposeFlowRunState['state'], force = false): Promise<ActionResult> {
  const id = resolveFlowRunId(actionContext)
  const related = [targetResource('prefect.flow-run', id)]
  const { written, result } = await callDomain(related, () =>
    changeRunIn(actionContext.context, tx, { kind: 'propose_flow_run', actor: actionContext.context.actor, id, state, force }),
  )
  const details = { status_code: written ? 201 : 200 }
  if (result.status === 'ACCEPT') return { related, details }
  const reason = 'reason' in result.details ? result.details.reason : null
  // A failure and not an exception: a state that a rule put in place of the proposed one stays written.
  return { related, details, failure: `The state was not accepted: ${reason ?? result.status}` }
}
