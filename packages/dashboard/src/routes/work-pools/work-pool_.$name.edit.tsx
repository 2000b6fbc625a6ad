import { createFileRoute } from '@tanstack/react-router'
import { EditPoolPage } from '../../features/work-pools/edit-pool-page.tsx'

export const Route = createFileRoute('/work-pools/work-pool_/$name/edit')({ component: EditPool })

function EditPool() {
  const { name } = Route.useParams()
  return <EditPoolPage key={name} name={name} />
}
