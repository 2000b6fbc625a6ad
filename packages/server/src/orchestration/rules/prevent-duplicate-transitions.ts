import { anyType, defineRule } from '../rule.ts'
import { accept, reject } from '../verdicts.ts'

/**
 * A client that got no response repeats the request with the same transition id. The response is the state that the first request led to.
 * The proposed type does not matter: an id identifies one request.
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
