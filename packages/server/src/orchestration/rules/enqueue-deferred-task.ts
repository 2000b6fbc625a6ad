import { anyTypeOrNone, defineRule } from '../rule.ts'
import { accept, acceptWithEffect } from '../verdicts.ts'

/** Offers a scheduled deferred task run to the task workers that subscribe to its key. */
export const enqueueDeferredTask = defineRule({
  name: 'enqueue-deferred-task',
  from: anyTypeOrNone,
  to: ['SCHEDULED'],
  decide({ run, proposed }) {
    if (!proposed.state_details.deferred) return accept
    return acceptWithEffect({ kind: 'enqueue', task_run_id: run.id, retry: proposed.name === 'AwaitingRetry' })
  },
})
