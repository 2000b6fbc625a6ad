import { createFileRoute } from '@tanstack/react-router'
import { VariablesPage } from '../features/variables/variables-page.tsx'
import { readVariablesSearch } from '../features/variables/variables-search.ts'
import { onlyValid } from '../search-params.ts'
import { useSearchChange } from '../use-search-change.ts'

export const Route = createFileRoute('/variables')({ validateSearch: onlyValid(readVariablesSearch), component: Variables })

function Variables() {
  return <VariablesPage search={Route.useSearch()} onSearch={useSearchChange()} />
}
