import { allTypesExcept, defineRule } from '../rule.ts'
import { reject } from '../verdicts.ts'

/** Once a run is being cancelled its infrastructure is being stopped; whatever it still reports, cancelled is how it ends. */
export const enforceCancelling = defineRule({
  name: 'enforce-cancelling',
  from: ['CANCELLING'],
  to: allTypesExcept('CANCELLED'),
  decide({ proposed }) {
    return reject(`This run is being cancelled and can only become Cancelled, not ${proposed.name}.`, { proposed_type: proposed.type })
  },
})
