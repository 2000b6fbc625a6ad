import { createFileRoute } from '@tanstack/react-router'
import { BlocksPage, type BlocksSearch } from '../../features/blocks/blocks-page.tsx'
import { count, many, one } from '../../search-params.ts'

export const Route = createFileRoute('/blocks/')({
  validateSearch: (params): { name?: string; type?: string[]; capability?: string[]; page?: number } => {
    const [name, type, capability, page] = [one(params.name), many(params.type), many(params.capability), count(params.page)]
    return { ...(name && { name }), ...(type && { type }), ...(capability && { capability }), ...(page && { page }) }
  },
  component: Blocks,
})

function Blocks() {
  const navigate = Route.useNavigate()
  const onSearch = ({ page, ...search }: BlocksSearch) => void navigate({ search: { ...search, ...(page && page > 1 && { page }) }, replace: true })
  return <BlocksPage search={Route.useSearch()} onSearch={onSearch} />
}
