import type { FlowRunResponse } from '@millrace/contracts/flow-run.ts'
import { useQuery } from '@tanstack/react-query'
import { taskRunsQuery } from '../../api/task-runs.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Panel } from '../../ui/page.tsx'
import { SkeletonRows } from '../../ui/skeleton.tsx'
import { Duration } from '../../ui/time-text.tsx'
import { ChangeText, CompareGrid } from './compare-grid.tsx'
import { joinTasks, type TaskTotals } from './compare-runs.ts'

/** The server's page size. */
const tasksMax = 200

const firstTasksQuery = (id: string) => taskRunsQuery({ flow_runs: { id: { any_: [id] } }, sort: 'EXPECTED_START_TIME_ASC', limit: tasksMax })

/** Durations of each task in both runs. */
export function CompareTasks({ a, b }: { readonly a: FlowRunResponse; readonly b: FlowRunResponse }) {
  const tasksOfA = useQuery(firstTasksQuery(a.id))
  const tasksOfB = useQuery(firstTasksQuery(b.id))
  if (!tasksOfA.data || !tasksOfB.data) {
    return (
      <Panel title="Tasks">
        <SkeletonRows rows={4} />
      </Panel>
    )
  }
  const pairs = joinTasks(tasksOfA.data, tasksOfB.data)
  const isCut = tasksOfA.data.length === tasksMax || tasksOfB.data.length === tasksMax
  return (
    <Panel title="Tasks" aside={isCut && <span className="text-faint text-sm">first {tasksMax} task runs of each</span>}>
      {pairs.length === 0 ? (
        <EmptyState compact title="No task runs" />
      ) : (
        <CompareGrid
          label="Tasks"
          names={[a.name, b.name]}
          rows={pairs.map(({ key, name, a, b }) => ({
            key,
            name: <span title={key}>{name}</span>,
            a: <TaskTotalsCell share={a} />,
            b: <TaskTotalsCell share={b} />,
            change: <ChangeText a={a?.seconds} b={b?.seconds} />,
            differs: !a || !b,
          }))}
        />
      )}
    </Panel>
  )
}

function TaskTotalsCell({ share }: { readonly share: TaskTotals | undefined }) {
  if (!share) return <span className="text-faint">not run</span>
  const { runs, seconds, failed } = share
  return (
    <>
      <Duration seconds={seconds} />
      {runs > 1 && <span className="text-faint"> in {runs} runs</span>}
      {failed > 0 && <span className="text-danger">, {failed} failed</span>}
    </>
  )
}
