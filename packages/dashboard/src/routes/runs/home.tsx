import { createFileRoute } from '@tanstack/react-router'
import { RunsPage } from '../../features/flow-runs/runs-page.tsx'
import { readRunsSearch } from '../../features/flow-runs/runs-search.ts'
import { onlyValid } from '../../search-params.ts'

export const Route = createFileRoute('/runs/')({ validateSearch: onlyValid(readRunsSearch), component: Runs })

function Runs() {
  return <RunsPage search={Route.useSearch()} />
}
