import { createFileRoute } from '@tanstack/react-router'
import { FlowsPage } from '../../features/flows/flows-page.tsx'
import { readFlowsSearch } from '../../features/flows/flows-search.ts'
import { onlyValid } from '../../search-params.ts'
import { useSearchChange } from '../../use-search-change.ts'

export const Route = createFileRoute('/flows/')({ validateSearch: onlyValid(readFlowsSearch), component: Flows })

function Flows() {
  return <FlowsPage search={Route.useSearch()} onSearch={useSearchChange()} />
}
