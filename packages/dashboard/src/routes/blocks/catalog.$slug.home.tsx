import { createFileRoute } from '@tanstack/react-router'
import { BlockTypePage } from '../../features/blocks/block-type-page.tsx'

export const Route = createFileRoute('/blocks/catalog/$slug/')({ component: BlockType })

function BlockType() {
  const { slug } = Route.useParams()
  return <BlockTypePage key={slug} slug={slug} />
}
