import { createFileRoute } from '@tanstack/react-router'
import { FlowPage } from '../../features/flows/flow-page.tsx'
import { type FlowTab, flowTabs } from '../../features/flows/flows-search.ts'
import { onlyValid, readString } from '../../search-params.ts'

export const Route = createFileRoute('/flows/flow/$id')({
  validateSearch: onlyValid((params): { tab?: FlowTab } => {
    const tab = flowTabs.find((each) => each === readString(params.tab))
    return tab === undefined ? {} : { tab }
  }),
  component: Flow,
})

function Flow() {
  const { id } = Route.useParams()
  const { tab = 'runs' } = Route.useSearch()
  const navigate = Route.useNavigate()
  return <FlowPage key={id} id={id} tab={tab} onTab={(next) => void navigate({ search: next === 'runs' ? {} : { tab: next }, replace: true })} />
}
