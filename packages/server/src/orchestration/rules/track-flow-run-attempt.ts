import { anyTypeOrNone, defineRule, type TaskRunSnapshot } from '../rule.ts'
import { accept, acceptWith } from '../verdicts.ts'

/** Records the flow run attempt that a task run last ran in. It distinguishes a rerun in a newer attempt from one in the same attempt. */
export const trackFlowRunAttempt = defineRule<TaskRunSnapshot>({
  name: 'track-flow-run-attempt',
  from: anyTypeOrNone,
  to: ['RUNNING'],
  decide({ run }) {
    if (!run.flowRun || run.flowRun.run_count === run.flow_run_run_count) return accept
    return acceptWith<TaskRunSnapshot>({ flow_run_run_count: run.flowRun.run_count })
  },
})
