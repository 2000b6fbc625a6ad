import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { flowRunHistoryQuery } from '../../api/flow-runs.ts'
import { useNow } from '../../ui/clock.ts'
import { type DisplayState, displayStateLabel } from '../../ui/display-state.ts'
import { StateIcon } from '../../ui/state-badge.tsx'
import { countByDisplayState } from '../home/count-by-state.ts'

const days = 30
const shownStates: readonly DisplayState[] = ['late', 'pending', 'running']
const stateLabels: Partial<Record<DisplayState, string>> = { late: 'Late', pending: 'Pending', running: 'Running' }

/** Counts late, pending and running runs of the last month with one request. */
export function PoolRunCounts({ pool }: { readonly pool: string }) {
  const hour = Math.floor(useNow(60) / 3_600_000) * 3_600_000
  const length = days * 86_400
  const history = useQuery(
    flowRunHistoryQuery({
      history_start: new Date(hour + 3_600_000 - length * 1000).toISOString(),
      history_end: new Date(hour + 3_600_000).toISOString(),
      history_interval_seconds: length,
      work_pools: { name: { any_: [pool] } },
      // Filters by type, which an index starts with. Late runs are counted by their state name in the answer.
      flow_runs: { state: { type: { any_: ['PENDING', 'RUNNING', 'SCHEDULED'] } } },
    }),
  )
  const counts = countByDisplayState(history.data ?? [])
  return (
    <span className="flex items-center gap-3 text-sm">
      {shownStates.map((displayState) => {
        const count = counts.get(displayState) ?? 0
        return (
          <Link
            key={displayState}
            to="/runs"
            search={{ pool: [pool], state: [stateLabels[displayState] ?? ''] }}
            title={displayStateLabel(displayState)}
            aria-label={`${count} ${displayStateLabel(displayState).toLowerCase()}`}
            className={`quiet-link inline-flex items-center gap-1 ${count === 0 ? 'text-faint' : ''}`}
          >
            <StateIcon displayState={displayState} size={12} />
            {count.toLocaleString()}
          </Link>
        )
      })}
    </span>
  )
}
