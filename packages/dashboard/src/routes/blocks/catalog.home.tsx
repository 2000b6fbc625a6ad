import { createFileRoute } from '@tanstack/react-router'
import { CatalogPage } from '../../features/blocks/catalog-page.tsx'
import { onlyValid, readString, readStrings } from '../../search-params.ts'
import { useSearchChange } from '../../use-search-change.ts'

export const Route = createFileRoute('/blocks/catalog/')({
  validateSearch: onlyValid((params): { name?: string; capability?: string[] } => {
    const [name, capability] = [readString(params.name), readStrings(params.capability)]
    return { ...(name && { name }), ...(capability && { capability }) }
  }),
  component: Catalog,
})

function Catalog() {
  return <CatalogPage search={Route.useSearch()} onSearch={useSearchChange()} />
}
