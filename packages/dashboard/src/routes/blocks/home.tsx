import { createFileRoute } from '@tanstack/react-router'
import { BlocksPage } from '../../features/blocks/blocks-page.tsx'
import { count, many, one } from '../../search-params.ts'
import { useSearchChange } from '../../use-search-change.ts'

export const Route = createFileRoute('/blocks/')({
  validateSearch: (params): { name?: string; type?: string[]; capability?: string[]; page?: number } => {
    const [name, type, capability, page] = [one(params.name), many(params.type), many(params.capability), count(params.page)]
    return { ...(name && { name }), ...(type && { type }), ...(capability && { capability }), ...(page && { page }) }
  },
  component: Blocks,
})

function Blocks() {
  return <BlocksPage search={Route.useSearch()} onSearch={useSearchChange()} />
}
