import type { State } from '@millrace/contracts/state.ts'
import { JsonView } from '../../ui/json-view.tsx'

/** The result in the state data, usually a reference to where the client stored it. */
export function ResultView({ state }: { readonly state: State | null }) {
  if (state?.data === null || state?.data === undefined) return null
  return (
    <section aria-label="Result" className="flex flex-col gap-2">
      <h2 className="font-semibold">Result</h2>
      <JsonView label="Result" value={state.data} />
    </section>
  )
}
