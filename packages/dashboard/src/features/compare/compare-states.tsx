import { isEnded } from '@millrace/client/vocabulary/states.ts'
import type { FlowRunResponse } from '@millrace/contracts/flow-run.ts'
import type { State } from '@millrace/contracts/state.ts'
import { useQuery } from '@tanstack/react-query'
import { flowRunStatesQuery } from '../../api/state-history.ts'
import { Panel } from '../../ui/page.tsx'
import { SkeletonRows } from '../../ui/skeleton.tsx'
import { StateBadge } from '../../ui/state-badge.tsx'
import { formatDuration, toMillis } from '../../ui/time-format.ts'
import { Elapsed } from '../../ui/time-text.tsx'
import { QueryView } from '../query-view.tsx'

/** States of both runs with their durations. */
export function CompareStates({ a, b }: { readonly a: FlowRunResponse; readonly b: FlowRunResponse }) {
  return (
    <Panel title="States">
      <div className="grid gap-x-4 sm:grid-cols-2">
        {[a, b].map((run) => (
          <StateList key={run.id} run={run} />
        ))}
      </div>
    </Panel>
  )
}

function StateList({ run }: { readonly run: FlowRunResponse }) {
  const states = useQuery(flowRunStatesQuery(run.id))
  return (
    <QueryView query={states} skeleton={<SkeletonRows rows={3} />} compact>
      {(found) => {
        const inOrder = [...found].sort((one, other) => toMillis(one.timestamp) - toMillis(other.timestamp))
        return (
          <ol aria-label={`States of ${run.name}`} className="min-w-0">
            {inOrder.map((state, index) => (
              <li key={state.id} className="border-b border-line px-3.5 py-1.5 last:border-b-0">
                <span className="flex items-center gap-3">
                  <StateBadge type={state.type} name={state.name} />
                  <span className="ml-auto text-faint text-sm">
                    <StateDuration state={state} next={inOrder[index + 1]} />
                  </span>
                </span>
                {state.message && <p className="break-words pl-5 text-soft text-sm">{state.message}</p>}
              </li>
            ))}
          </ol>
        )
      }}
    </QueryView>
  )
}

function StateDuration({ state, next }: { readonly state: State; readonly next: State | undefined }) {
  if (next) return formatDuration((toMillis(next.timestamp) - toMillis(state.timestamp)) / 1000)
  return isEnded(state.type) ? null : <Elapsed since={state.timestamp} />
}
