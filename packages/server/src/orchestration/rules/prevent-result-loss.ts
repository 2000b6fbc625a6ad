import { hasPersistedResult, referencesResult } from '../persisted-result.ts'
import { defineRule } from '../rule.ts'
import { accept, reject } from '../verdicts.ts'

/** A completed run's result is replaced by another or not at all, even by force: completing twice is a client's retry, not a wish to forget. */
export const preventResultLoss = defineRule({
  name: 'prevent-result-loss',
  from: ['COMPLETED'],
  to: ['COMPLETED'],
  decide({ current, proposed }) {
    if (!current || !hasPersistedResult(current) || referencesResult(proposed)) return accept
    return reject('This run has completed with a result that is kept; completing it again without one would lose it.', { state_id: current.id })
  },
})
