import { anyType, defineRule } from '../define-rule.ts'
import { renamed } from '../states.ts'
import { accept, amend } from '../verdict.ts'

/** Running for the second time has a name of its own, whatever name was sent. */
export const renameReruns = defineRule({
  name: 'rename-reruns',
  from: anyType,
  to: ['RUNNING'],
  decide({ run, current, proposed }) {
    if (run.run_count === 0) return accept
    return amend(renamed(proposed, current?.name === 'AwaitingRetry' ? 'Retrying' : 'Rerunning'))
  },
})
