import { anyTypeOrNone, defineRule, type TaskRunSnapshot } from '../rule.ts'
import { notReady } from '../states.ts'
import { abort, accept, replace } from '../verdicts.ts'

/** A task run can run only while its flow run is running. It pauses with a paused flow run. */
export const tasksOfStoppedFlows = defineRule<TaskRunSnapshot>({
  name: 'tasks-of-stopped-flows',
  from: anyTypeOrNone,
  to: ['RUNNING'],
  decide(context) {
    const { flowRun, flow_run_id } = context.run
    if (!flowRun || flowRun.state?.type === 'RUNNING') return accept
    if (!flowRun.state) return abort('The flow run of this task has no state yet, so the task cannot run.', { flow_run_id })
    const facts = { flow_run_id, flow_run_state_type: flowRun.state.type, flow_run_state_name: flowRun.state.name }
    if (flowRun.state.type === 'PAUSED') {
      return replace(notReady(context, flowRun.state), `The flow run ${flow_run_id} is ${flowRun.state.name}; its tasks run once it resumes.`, facts)
    }
    return abort(`The flow run of this task is ${flowRun.state.name}, so the task cannot run.`, facts)
  },
})
