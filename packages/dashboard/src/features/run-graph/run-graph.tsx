import type { TaskRun } from '@millrace/contracts/task-run.ts'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { taskRunsQuery } from '../../api/task-runs.ts'
import { useNow } from '../../ui/clock.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { StateShape } from '../../ui/state-badge.tsx'
import { stateFill, stateLook } from '../../ui/state-look.ts'
import { formatDuration, toMillis } from '../../ui/time-format.ts'
import { QueryView } from '../query-view.tsx'

interface RunGraphProps {
  readonly flowRunId: string
  /** Whether more may come, or change. */
  readonly growing: boolean
}

/** The first task runs of a flow run along time. Loaded when its tab is opened; the page knows nothing of it but this component. */
export function RunGraph({ flowRunId, growing }: RunGraphProps) {
  const runs = useQuery({
    ...taskRunsQuery({ flow_runs: { id: { any_: [flowRunId] } }, sort: 'EXPECTED_START_TIME_ASC', limit: 200 }),
    refetchInterval: growing ? 3000 : false,
  })
  const present = useNow(1)
  return (
    <QueryView query={runs}>
      {(found) => {
        const begun = found.filter(({ start_time }) => start_time !== null)
        return begun.length === 0 ? <EmptyState title="No task has begun yet" /> : <Timeline runs={begun} present={present} />
      }}
    </QueryView>
  )
}

function Timeline({ runs, present }: { readonly runs: readonly TaskRun[]; readonly present: number }) {
  const spans = runs.map((run) => {
    const from = toMillis(run.start_time as string)
    return { run, from, to: run.end_time ? toMillis(run.end_time) : present }
  })
  const start = Math.min(...spans.map(({ from }) => from))
  const length = Math.max(1, Math.max(...spans.map(({ to }) => to)) - start)
  return (
    <ol className="card overflow-hidden py-1.5">
      {spans.map(({ run, from, to }) => (
        <li key={run.id}>
          <Link
            to="/runs/task-run/$id"
            params={{ id: run.id }}
            className="grid h-7 grid-cols-[minmax(6rem,14rem)_1fr] items-center gap-3 px-3 hover:bg-hover"
          >
            <span className="flex min-w-0 items-center gap-2">
              <StateShape look={stateLook(run.state_type, run.state_name)} size={12} />
              <span className="truncate">{run.name}</span>
            </span>
            <span className="relative h-3.5">
              <span
                title={formatDuration((to - from) / 1000)}
                className="absolute inset-y-0 rounded-sm"
                style={{
                  left: `${(100 * (from - start)) / length}%`,
                  width: `max(3px, ${(100 * (to - from)) / length}%)`,
                  background: stateFill(stateLook(run.state_type, run.state_name)),
                }}
              />
            </span>
          </Link>
        </li>
      ))}
    </ol>
  )
}
