import { anyOrNone, defineRule } from '../define-rule.ts'
import type { TaskRunFacts } from '../rule.ts'
import { accept, noting } from '../verdict.ts'

/** Notes which attempt of the flow run a task last ran in, so that a rerun in a newer attempt can be told from one in the same. */
export const trackFlowRunAttempt = defineRule<TaskRunFacts>({
  name: 'track-flow-run-attempt',
  from: anyOrNone,
  to: ['RUNNING'],
  decide({ run }) {
    if (!run.flowRun || run.flowRun.run_count === run.flow_run_run_count) return accept
    return noting<TaskRunFacts>({ flow_run_run_count: run.flowRun.run_count })
  },
})
