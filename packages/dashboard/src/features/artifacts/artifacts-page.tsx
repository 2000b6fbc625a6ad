import { useQuery } from '@tanstack/react-query'
import { latestArtifactCountQuery, latestArtifactsQuery } from '../../api/artifacts.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Page } from '../../ui/page.tsx'
import { Pagination } from '../../ui/pagination.tsx'
import { usePreferences } from '../../ui/preferences.ts'
import { SearchBox } from '../../ui/search-box.tsx'
import { useSearchChange } from '../../use-search-change.ts'
import { type ArtifactsSearch, artifactTypes } from './artifacts-search.ts'
import { ArtifactsTable } from './artifacts-table.tsx'

/** Latest artifact of each key, filtered by the URL. */
export function ArtifactsPage({ search }: { readonly search: ArtifactsSearch }) {
  const change = useSearchChange<ArtifactsSearch>()
  /** A filter change goes back to the first page. */
  const set = (next: ArtifactsSearch) => change({ page: undefined, ...next })
  const { page_size } = usePreferences()
  const { page = 1, find, type } = search
  const artifacts = {
    ...(find && { key: { like_: find } }),
    type: type ? { any_: [type] } : { not_any_: ['result'] },
  }
  const rows = useQuery(latestArtifactsQuery({ artifacts, sort: 'UPDATED_DESC', limit: page_size, offset: (page - 1) * page_size }))
  const count = useQuery(latestArtifactCountQuery({ artifacts }))
  const types = artifactTypes.some(({ value }) => value === (type ?? ''))
    ? artifactTypes
    : [...artifactTypes, { value: type ?? '', label: type ?? '' }]
  return (
    <Page title="Artifacts">
      <div className="flex flex-wrap items-center gap-2 pb-3">
        <SearchBox
          label="Filter by key"
          placeholder="Key"
          shortcut="/"
          className="sm:max-w-72"
          value={find ?? ''}
          onChange={(text) => set({ find: text || undefined })}
        />
        <select aria-label="Type" value={type ?? ''} onChange={({ target }) => set({ type: target.value || undefined })} className="field">
          {types.map(({ value, label }) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
        <span className="ml-auto">
          {count.data !== undefined && count.data > 0 && (
            <Pagination
              page={page}
              pages={Math.ceil(count.data / page_size)}
              count={count.data}
              noun={count.data === 1 ? 'key' : 'keys'}
              onPage={(next) => set({ page: next })}
            />
          )}
        </span>
      </div>
      <ArtifactsTable
        artifacts={rows}
        byKey
        empty={find || type ? <EmptyState title="No results">Clear filters to see all artifacts.</EmptyState> : undefined}
      />
    </Page>
  )
}
