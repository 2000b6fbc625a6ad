import { createFileRoute } from '@tanstack/react-router'
import { type QueueTab, queueTabs } from '../../features/work-pools/pool-tabs.ts'
import { QueuePage } from '../../features/work-queues/queue-page.tsx'
import { onlyValid, readString } from '../../search-params.ts'

export const Route = createFileRoute('/work-pools/work-pool_/$name/queue/$queue')({
  validateSearch: onlyValid((params): { tab?: QueueTab } => {
    const tab = queueTabs.find((each) => each === readString(params.tab))
    return tab === undefined ? {} : { tab }
  }),
  component: Queue,
})

function Queue() {
  const { name, queue } = Route.useParams()
  const { tab = 'runs' } = Route.useSearch()
  const navigate = Route.useNavigate()
  return (
    <QueuePage
      key={`${name}/${queue}`}
      pool={name}
      name={queue}
      tab={tab}
      onTab={(next) => void navigate({ search: next === 'runs' ? {} : { tab: next }, replace: true })}
    />
  )
}
