import { describeError } from '../../api/api-error.ts'
import { setFlowRunStates } from '../../api/flow-runs.ts'
import { showToast } from '../../ui/toast.tsx'
import type { StateProposal } from './state-proposals.ts'

/** Proposes a state for every run and shows how many accepted it and why others did not. */
export async function proposeState(ids: readonly string[], { state, outcomeText: done }: StateProposal, force = false): Promise<void> {
  try {
    const results = await setFlowRunStates(ids, state, force)
    const rejected = results.filter(({ status }) => status !== 'ACCEPT')
    const acceptedCount = results.length - rejected.length
    const reasons = new Set(rejected.flatMap(({ details }) => ('reason' in details && details.reason ? [details.reason] : [])))
    if (acceptedCount > 0) showToast(`${acceptedCount} ${acceptedCount === 1 ? 'run is' : 'runs are'} ${done}`)
    if (rejected.length > 0) {
      showToast(`${rejected.length} ${rejected.length === 1 ? 'run was' : 'runs were'} rejected`, { tone: 'bad', detail: [...reasons].join(' · ') })
    }
  } catch (error) {
    const { title, detail } = describeError(error)
    showToast(title, { tone: 'bad', detail: detail ?? '' })
  }
}
