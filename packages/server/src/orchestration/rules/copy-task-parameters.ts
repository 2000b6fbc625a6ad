import { defineRule } from '../rule.ts'
import { withDetails } from '../states.ts'
import { accept, amend } from '../verdicts.ts'

/** The worker finds the stored parameters of a deferred task run by this id, also after the run was submitted. */
export const copyTaskParameters = defineRule({
  name: 'copy-task-parameters',
  from: ['SCHEDULED', 'PENDING'],
  to: ['PENDING', 'RUNNING'],
  decide({ current, proposed }) {
    const id = current?.state_details.task_parameters_id
    if (!id || proposed.state_details.task_parameters_id) return accept
    return amend(withDetails(proposed, { task_parameters_id: id }))
  },
})
