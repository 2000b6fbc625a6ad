import { anyTypeOrNone, defineRule, type TaskRunSnapshot } from '../rule.ts'
import { accept, acceptWith } from '../verdicts.ts'

/** Notes which attempt of the flow run a task last ran in, so that a rerun in a newer attempt can be told from one in the same. */
export const trackFlowRunAttempt = defineRule<TaskRunSnapshot>({
  name: 'track-flow-run-attempt',
  from: anyTypeOrNone,
  to: ['RUNNING'],
  decide({ run }) {
    if (!run.flowRun || run.flowRun.run_count === run.flow_run_run_count) return accept
    return acceptWith<TaskRunSnapshot>({ flow_run_run_count: run.flowRun.run_count })
  },
})
