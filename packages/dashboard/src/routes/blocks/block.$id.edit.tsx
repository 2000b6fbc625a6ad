import { createFileRoute } from '@tanstack/react-router'
import { EditBlockPage } from '../../features/blocks/edit-block-page.tsx'

export const Route = createFileRoute('/blocks/block/$id/edit')({ component: EditBlock })

function EditBlock() {
  const { id } = Route.useParams()
  return <EditBlockPage key={id} id={id} />
}
