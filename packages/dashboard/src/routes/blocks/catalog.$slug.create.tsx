import { createFileRoute } from '@tanstack/react-router'
import { NewBlockPage } from '../../features/blocks/new-block-page.tsx'

export const Route = createFileRoute('/blocks/catalog/$slug/create')({ component: NewBlock })

function NewBlock() {
  const { slug } = Route.useParams()
  return <NewBlockPage key={slug} slug={slug} />
}
