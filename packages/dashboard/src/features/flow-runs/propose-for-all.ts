import { setFlowRunStates } from '../../api/flow-runs.ts'
import { describeError } from '../../api/problem.ts'
import { say } from '../../ui/toast.tsx'
import type { Deed } from './deeds.ts'

/** Proposes a state for every run and says what became of it: how many took it, and why others did not. */
export async function proposeForAll(ids: readonly string[], { state, done }: Deed, force = false): Promise<void> {
  try {
    const results = await setFlowRunStates(ids, state, force)
    const refused = results.filter(({ status }) => status !== 'ACCEPT')
    const taken = results.length - refused.length
    const reasons = new Set(refused.flatMap(({ details }) => ('reason' in details && details.reason ? [details.reason] : [])))
    if (taken > 0) say(`${taken} ${taken === 1 ? 'run is' : 'runs are'} ${done}`)
    if (refused.length > 0) {
      say(`${refused.length} ${refused.length === 1 ? 'run was' : 'runs were'} not changed`, { tone: 'bad', detail: [...reasons].join(' · ') })
    }
  } catch (error) {
    const { title, detail } = describeError(error)
    say(title, { tone: 'bad', detail: detail ?? '' })
  }
}
