import { createFileRoute } from '@tanstack/react-router'
import { WorkPoolsPage } from '../../features/work-pools/work-pools-page.tsx'
import { onlyValid, readString } from '../../search-params.ts'
import { useSearchChange } from '../../use-search-change.ts'

export const Route = createFileRoute('/work-pools/')({
  validateSearch: onlyValid((params): { name?: string } => {
    const name = readString(params.name)
    return name === undefined ? {} : { name }
  }),
  component: WorkPools,
})

function WorkPools() {
  const { name = '' } = Route.useSearch()
  const change = useSearchChange<{ name?: string }>()
  return <WorkPoolsPage name={name} onName={(next) => change({ name: next || undefined })} />
}
