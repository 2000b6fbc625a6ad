import { createFileRoute } from '@tanstack/react-router'
import { BlocksPage } from '../../features/blocks/blocks-page.tsx'
import { onlyValid, readPage, readString, readStrings } from '../../search-params.ts'
import { useSearchChange } from '../../use-search-change.ts'

export const Route = createFileRoute('/blocks/')({
  validateSearch: onlyValid((params): { name?: string; type?: string[]; capability?: string[]; page?: number } => {
    const [name, type, capability, page] = [readString(params.name), readStrings(params.type), readStrings(params.capability), readPage(params.page)]
    return { ...(name && { name }), ...(type && { type }), ...(capability && { capability }), ...(page && { page }) }
  }),
  component: Blocks,
})

function Blocks() {
  return <BlocksPage search={Route.useSearch()} onSearch={useSearchChange()} />
}
