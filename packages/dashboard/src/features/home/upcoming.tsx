import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { flowRunsQuery } from '../../api/flow-runs.ts'
import { useNow } from '../../ui/clock.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Panel } from '../../ui/page.tsx'
import { SkeletonRows } from '../../ui/skeleton.tsx'
import { StateIcon } from '../../ui/state-badge.tsx'
import { TimeText } from '../../ui/time-text.tsx'
import { RunLink } from '../flow-runs/run-link.tsx'
import { QueryView } from '../query-view.tsx'

const rowsMax = 8

export function Upcoming() {
  const minute = new Date(Math.floor(useNow(30) / 60_000) * 60_000).toISOString()
  const runs = useQuery({
    ...flowRunsQuery({
      flow_runs: { state: { type: { any_: ['SCHEDULED'] }, name: { not_any_: ['Late'] } }, next_scheduled_start_time: { after_: minute } },
      sort: 'NEXT_SCHEDULED_START_TIME_ASC',
      limit: rowsMax,
    }),
    placeholderData: (previous) => previous,
  })
  return (
    <Panel
      title="Upcoming"
      aside={
        <Link to="/runs" search={{ state: ['Scheduled'], sort: 'soonest' }} className="link text-sm">
          All
        </Link>
      }
    >
      <QueryView query={runs} skeleton={<SkeletonRows rows={5} />} compact>
        {(found) =>
          found.length === 0 ? (
            <EmptyState compact title="No upcoming runs">
              Add a schedule to a deployment to see its next runs here.
            </EmptyState>
          ) : (
            <ul>
              {found.map((run) => (
                <li key={run.id} className="flex h-9 items-center gap-2.5 border-b border-line px-3.5 last:border-b-0">
                  <StateIcon displayState="scheduled" />
                  <div className="min-w-0 flex-1">
                    <RunLink run={run} />
                  </div>
                  <TimeText time={run.next_scheduled_start_time} show="relative" className="text-faint text-sm" />
                </li>
              ))}
            </ul>
          )
        }
      </QueryView>
    </Panel>
  )
}
