import { createFileRoute } from '@tanstack/react-router'
import { QueuePage } from '../../features/work-queues/queue-page.tsx'

export const Route = createFileRoute('/work-pools/work-pool_/$name/queue_/$queue/edit')({ component: EditQueue })

function EditQueue() {
  const { name, queue } = Route.useParams()
  const navigate = Route.useNavigate()
  return (
    <QueuePage
      key={`${name}/${queue}`}
      pool={name}
      name={queue}
      tab="details"
      editing
      onTab={(tab) =>
        void navigate({ to: '/work-pools/work-pool/$name/queue/$queue', params: { name, queue }, search: tab === 'runs' ? {} : { tab } })
      }
    />
  )
}
