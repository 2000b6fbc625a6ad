import { createFileRoute } from '@tanstack/react-router'
import { taskRunQuery } from '../../api/task-runs.ts'
import { TaskRunPage } from '../../features/task-runs/task-run-page.tsx'
import { readTaskRunSearch } from '../../features/task-runs/task-run-search.ts'
import { onlyValid } from '../../search-params.ts'
import { useSearchChange } from '../../use-search-change.ts'

export const Route = createFileRoute('/runs/task-run/$id')({
  validateSearch: onlyValid(readTaskRunSearch),
  loader: ({ context, params }) => void context.queryClient.prefetchQuery(taskRunQuery(params.id)),
  component: TaskRun,
})

function TaskRun() {
  const { id } = Route.useParams()
  const search = Route.useSearch()
  const navigate = Route.useNavigate()
  return (
    <TaskRunPage key={id} id={id} search={search} onTab={(tab) => void navigate({ search: { tab }, replace: true })} onSearch={useSearchChange()} />
  )
}
