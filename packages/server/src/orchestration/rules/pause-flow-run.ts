import { anyTypeOrNone, defineRule, type FlowRunSnapshot } from '../rule.ts'
import { abort, acceptWith, reject } from '../verdicts.ts'

/**
 * Only a running run can pause, and each pause key counts once: after a restart the code reaches the same pause again and must pass it.
 * A suspended run ends its process. So it needs a deployment that can start it again, and no parent run that waits for it in its own process.
 */
export const pauseFlowRun = defineRule<FlowRunSnapshot>({
  name: 'pause-flow-run',
  from: anyTypeOrNone,
  to: ['PAUSED'],
  decide(context) {
    const { run, current, proposed } = context
    const verb = proposed.name === 'Suspended' ? 'suspended' : 'paused'
    if (!current) return abort(`A run without a state cannot be ${verb}.`)
    if (current.type !== 'RUNNING') {
      return reject(`Only a running run can be ${verb}, and this one is ${current.name}.`, { state_type: current.type, state_name: current.name })
    }
    const keys = run.empirical_policy.pause_keys ?? []
    const key = proposed.state_details.pause_key ?? context.newId()
    if (keys.includes(key)) return reject(`This run was already ${verb} with pause key ${key} and continues.`, { pause_key: key })
    if (proposed.state_details.pause_reschedule) {
      if (run.parent_task_run_id !== null) {
        return abort(`This run is a subflow, and its parent run waits for it in its own process, so it cannot be ${verb}.`, {
          parent_task_run_id: run.parent_task_run_id,
        })
      }
      if (run.deployment_id === null) {
        return abort(`This run has no deployment, so no worker could start it again once ${verb}.`, { deployment_id: null })
      }
    }
    const paused = acceptWith<FlowRunSnapshot>({ empirical_policy: { ...run.empirical_policy, pause_keys: [...keys, key] } })
    // This pause has not happened in this attempt, so input under its keys belongs to an earlier one.
    const inputKeys = Object.values(proposed.state_details.run_input_keyset ?? {})
    return inputKeys.length === 0 ? paused : { ...paused, effect: { kind: 'delete-input', keys: inputKeys } }
  },
})
