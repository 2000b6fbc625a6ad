import { createFileRoute } from '@tanstack/react-router'
import { type PoolTab, poolTabs } from '../../features/work-pools/pool-tabs.ts'
import { WorkPoolPage } from '../../features/work-pools/work-pool-page.tsx'
import { onlyValid, readString } from '../../search-params.ts'

export const Route = createFileRoute('/work-pools/work-pool/$name')({
  validateSearch: onlyValid((params): { tab?: PoolTab } => {
    const tab = poolTabs.find((each) => each === readString(params.tab))
    return tab === undefined ? {} : { tab }
  }),
  component: WorkPool,
})

function WorkPool() {
  const { name } = Route.useParams()
  const { tab = 'runs' } = Route.useSearch()
  const navigate = Route.useNavigate()
  return (
    <WorkPoolPage key={name} name={name} tab={tab} onTab={(next) => void navigate({ search: next === 'runs' ? {} : { tab: next }, replace: true })} />
  )
}
