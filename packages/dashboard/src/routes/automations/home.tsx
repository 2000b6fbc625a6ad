import { createFileRoute } from '@tanstack/react-router'
import { AutomationsPage } from '../../features/automations/automations-page.tsx'
import { onlyValid, readPage, readString } from '../../search-params.ts'
import { useSearchChange } from '../../use-search-change.ts'

export const Route = createFileRoute('/automations/')({
  validateSearch: onlyValid((params): { name?: string; tag?: string; page?: number } => {
    const [name, tag, page] = [readString(params.name), readString(params.tag), readPage(params.page)]
    return { ...(name && { name }), ...(tag && { tag }), ...(page && { page }) }
  }),
  component: Automations,
})

function Automations() {
  return <AutomationsPage search={Route.useSearch()} onSearch={useSearchChange()} />
}
