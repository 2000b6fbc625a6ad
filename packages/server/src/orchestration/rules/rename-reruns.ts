import { anyType, defineRule } from '../rule.ts'
import { withName } from '../states.ts'
import { accept, amend } from '../verdicts.ts'

/** Names the Running state of a second attempt, whatever name was sent. */
export const renameReruns = defineRule({
  name: 'rename-reruns',
  from: anyType,
  to: ['RUNNING'],
  decide({ run, current, proposed }) {
    if (run.run_count === 0) return accept
    return amend(withName(proposed, current?.name === 'AwaitingRetry' ? 'Retrying' : 'Rerunning'))
  },
})
