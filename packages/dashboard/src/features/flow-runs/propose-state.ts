import { describeError } from '../../api/api-error.ts'
import { setFlowRunStates } from '../../api/flow-runs.ts'
import { showToast } from '../../ui/toast.tsx'
import type { StateProposal } from './state-proposals.ts'

/** Proposes a state for every run and says what became of it: how many took it, and why others did not. */
export async function proposeState(ids: readonly string[], { state, outcomeText: done }: StateProposal, force = false): Promise<void> {
  try {
    const results = await setFlowRunStates(ids, state, force)
    const refused = results.filter(({ status }) => status !== 'ACCEPT')
    const taken = results.length - refused.length
    const reasons = new Set(refused.flatMap(({ details }) => ('reason' in details && details.reason ? [details.reason] : [])))
    if (taken > 0) showToast(`${taken} ${taken === 1 ? 'run is' : 'runs are'} ${done}`)
    if (refused.length > 0) {
      showToast(`${refused.length} ${refused.length === 1 ? 'run was' : 'runs were'} rejected`, { tone: 'bad', detail: [...reasons].join(' · ') })
    }
  } catch (error) {
    const { title, detail } = describeError(error)
    showToast(title, { tone: 'bad', detail: detail ?? '' })
  }
}
