import { createFileRoute } from '@tanstack/react-router'
import { blockQuery } from '../../api/blocks.ts'
import { BlockPage } from '../../features/blocks/block-page.tsx'

export const Route = createFileRoute('/blocks/block/$id/')({
  loader: ({ context, params }) => void context.queryClient.prefetchQuery(blockQuery(params.id)),
  component: Block,
})

function Block() {
  const { id } = Route.useParams()
  return <BlockPage key={id} id={id} />
}
