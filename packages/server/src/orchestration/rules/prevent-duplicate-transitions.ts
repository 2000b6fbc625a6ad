import { anyType, defineRule } from '../rule.ts'
import { accept, reject } from '../verdicts.ts'

/**
 * A client that got no answer asks again under the same transition id: it learns the state it already led to.
 * The type proposed does not matter; an id stands for one request.
 */
export const preventDuplicateTransitions = defineRule({
  name: 'prevent-duplicate-transitions',
  from: anyType,
  to: anyType,
  decide({ current, proposed }) {
    const { transition_id } = proposed.state_details
    if (!transition_id || current?.state_details.transition_id !== transition_id) return accept
    return reject(`This transition was already made and led to ${current.name}.`, { transition_id, state_id: current.id })
  },
})
