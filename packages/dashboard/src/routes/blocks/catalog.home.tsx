import { createFileRoute } from '@tanstack/react-router'
import { CatalogPage } from '../../features/blocks/catalog-page.tsx'
import { many, one } from '../../search-params.ts'
import { useSearchChange } from '../../use-search-change.ts'

export const Route = createFileRoute('/blocks/catalog/')({
  validateSearch: (params): { name?: string; capability?: string[] } => {
    const [name, capability] = [one(params.name), many(params.capability)]
    return { ...(name && { name }), ...(capability && { capability }) }
  },
  component: Catalog,
})

function Catalog() {
  return <CatalogPage search={Route.useSearch()} onSearch={useSearchChange()} />
}
