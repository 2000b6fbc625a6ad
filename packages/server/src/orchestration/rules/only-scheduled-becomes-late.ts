import { anyType, defineRule } from '../rule.ts'
import { accept, reject } from '../verdicts.ts'

/** A worker may start a run after the service finds it overdue and before it marks it late. A run is marked late once. */
export const onlyScheduledBecomesLate = defineRule({
  name: 'only-scheduled-becomes-late',
  from: anyType,
  to: ['SCHEDULED'],
  decide({ current, proposed }) {
    if (proposed.name !== 'Late' || !current) return accept
    const facts = { state_type: current.type, state_name: current.name }
    if (current.type !== 'SCHEDULED') return reject(`Only a scheduled run can be late, and this one is ${current.name}.`, facts)
    return current.name === 'Late' ? reject('This run is already marked late.', facts) : accept
  },
})
