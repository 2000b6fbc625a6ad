import type { State } from '@millrace/contracts/state.ts'
import { JsonView } from '../../ui/json-view.tsx'

/** What a run returned, as far as the server knows: most often where it is kept. */
export function ResultView({ state }: { readonly state: State | null }) {
  if (state?.data === null || state?.data === undefined) return null
  return (
    <section aria-label="Result" className="flex flex-col gap-2">
      <h2 className="font-semibold">Result</h2>
      <JsonView label="Result" value={state.data} />
    </section>
  )
}
