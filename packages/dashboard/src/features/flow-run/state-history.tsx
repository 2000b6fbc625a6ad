import { isEnded } from '@millrace/client/vocabulary/states.ts'
import type { State, Verdict } from '@millrace/contracts/state.ts'
import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { EmptyState } from '../../ui/empty-state.tsx'
import { JsonView } from '../../ui/json-view.tsx'
import { StateBadge } from '../../ui/state-badge.tsx'
import { formatDuration, toMillis } from '../../ui/time-format.ts'
import { Elapsed, TimeText } from '../../ui/time-text.tsx'
import { QueryView } from '../query-view.tsx'
import { buildHistory } from './build-history.ts'
import { VerdictEntry } from './verdict-entry.tsx'

interface StateHistoryProps {
  readonly states: UseQueryResult<State[]>
  readonly verdicts: UseQueryResult<Verdict[]>
}

/** States and verdicts with time, duration and reason, newest first. */
export function StateHistory({ states, verdicts }: StateHistoryProps) {
  return (
    <QueryView query={states}>
      {(found) => {
        const entries = buildHistory(found, verdicts.data ?? [])
        return entries.length === 0 ? (
          <EmptyState title="No states yet" />
        ) : (
          <ol aria-label="History" className="max-w-4xl pl-1.5">
            {entries.map((entry) =>
              entry.kind === 'state' ? (
                <TimelineItem key={entry.state.id}>
                  <StateEntry state={entry.state} until={entry.until} />
                </TimelineItem>
              ) : (
                <TimelineItem key={entry.verdict.id} quiet>
                  <VerdictEntry verdict={entry.verdict} />
                </TimelineItem>
              ),
            )}
          </ol>
        )
      }}
    </QueryView>
  )
}

const TimelineItem = ({ quiet = false, children }: { readonly quiet?: boolean; readonly children: ReactNode }) => (
  <li className="relative border-line border-l-2 pb-5 pl-5 last:pb-0">
    <span aria-hidden="true" className={`-left-[5px] absolute top-1.5 size-2 rounded-full ${quiet ? 'border-2 border-edge bg-paper' : 'bg-edge'}`} />
    {children}
  </li>
)

function StateEntry({ state, until }: { readonly state: State; readonly until: State | undefined }) {
  const details = Object.entries(state.state_details).filter(([key, value]) => value !== null && value !== false && !key.endsWith('_run_id'))
  return (
    <>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <StateBadge type={state.type} name={state.name} pill />
        <TimeText time={state.timestamp} show="milli" className="text-soft" />
        <span className="text-faint">
          {until ? (
            `for ${formatDuration((toMillis(until.timestamp) - toMillis(state.timestamp)) / 1000)}`
          ) : isEnded(state.type) ? null : (
            <>
              for <Elapsed since={state.timestamp} />
            </>
          )}
        </span>
      </div>
      {state.message && <p className="mt-1.5 whitespace-pre-wrap">{state.message}</p>}
      {details.length > 0 && (
        <details className="mt-1.5">
          <summary className="text-faint text-sm hover:text-ink">Details</summary>
          <div className="mt-1">
            <JsonView label="State details" value={Object.fromEntries(details)} />
          </div>
        </details>
      )}
    </>
  )
}
