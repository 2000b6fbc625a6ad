import { allTypesExcept, defineRule } from '../rule.ts'
import { reject } from '../verdicts.ts'

/** The infrastructure of a cancelling run is being stopped, so the run ends as Cancelled whatever else it reports. */
export const enforceCancelling = defineRule({
  name: 'enforce-cancelling',
  from: ['CANCELLING'],
  to: allTypesExcept('CANCELLED'),
  decide({ proposed }) {
    return reject(`This run is being cancelled and can only become Cancelled, not ${proposed.name}.`, { proposed_type: proposed.type })
  },
})
