import { createFileRoute } from '@tanstack/react-router'
import { RunsPage } from '../../features/flow-runs/runs-page.tsx'
import { readRunsSearch } from '../../features/flow-runs/runs-search.ts'

export const Route = createFileRoute('/runs/')({ validateSearch: readRunsSearch, component: Runs })

function Runs() {
  return <RunsPage search={Route.useSearch()} />
}
