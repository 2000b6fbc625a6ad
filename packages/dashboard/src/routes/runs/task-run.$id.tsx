import { createFileRoute } from '@tanstack/react-router'
import { taskRunQuery } from '../../api/task-runs.ts'
import { TaskRunPage } from '../../features/task-runs/task-run-page.tsx'
import { one } from '../../search-params.ts'

const tabs = ['logs', 'states', 'inputs', 'details']

export const Route = createFileRoute('/runs/task-run/$id')({
  validateSearch: (params): { tab?: string } => {
    const tab = tabs.find((each) => each === one(params.tab))
    return tab === undefined ? {} : { tab }
  },
  loader: ({ context, params }) => void context.queryClient.prefetchQuery(taskRunQuery(params.id)),
  component: TaskRun,
})

function TaskRun() {
  const { id } = Route.useParams()
  const { tab = 'logs' } = Route.useSearch()
  const navigate = Route.useNavigate()
  return <TaskRunPage key={id} id={id} tab={tab} onTab={(next) => void navigate({ search: next === 'logs' ? {} : { tab: next }, replace: true })} />
}
