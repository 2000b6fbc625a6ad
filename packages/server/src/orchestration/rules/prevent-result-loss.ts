import { defineRule } from '../rule.ts'
import { hasPersistedResult, referencesResult } from '../states.ts'
import { accept, reject } from '../verdicts.ts'

/** Even with `force`, a persisted result is replaced by another result only: a second completion is a repeated request of the client. */
export const preventResultLoss = defineRule({
  name: 'prevent-result-loss',
  from: ['COMPLETED'],
  to: ['COMPLETED'],
  decide({ current, proposed }) {
    if (!current || !hasPersistedResult(current) || referencesResult(proposed)) return accept
    return reject('This run completed with a persisted result; completing it again without one would lose the result.', { state_id: current.id })
  },
})
