import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { latestArtifactCountQuery, latestArtifactsQuery } from '../../api/artifacts.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Page } from '../../ui/page.tsx'
import { Pagination } from '../../ui/pagination.tsx'
import { usePreferences } from '../../ui/preferences.ts'
import { usePushed } from '../../ui/use-pushed.ts'
import { useTyped } from '../../ui/use-typed.ts'
import { type ArtifactsSearch, artifactTypes } from './artifacts-search.ts'
import { ArtifactsTable } from './artifacts-table.tsx'

/** The newest of each key, narrowed by what stands in the address. */
export function ArtifactsPage({ search }: { readonly search: ArtifactsSearch }) {
  const navigate = useNavigate()
  const { page_size } = usePreferences()
  const change = (next: ArtifactsSearch) =>
    void navigate({ to: '/artifacts', search: (present: ArtifactsSearch) => ({ ...present, ...next }), replace: true })
  const [text, settled, setText] = useTyped(search.find ?? '')
  usePushed(settled, search.find ?? '', (find) => change({ find: find || undefined, page: undefined }))
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
        <label className="field flex h-8 min-w-40 flex-1 basis-40 items-center gap-2 py-0 sm:max-w-72">
          <Icon name="search" size={14} className="text-faint" />
          <input
            aria-label="Part of the key"
            placeholder="Part of the key"
            value={text}
            onChange={(event) => setText(event.target.value)}
            className="min-w-0 flex-1 bg-transparent outline-none"
          />
        </label>
        <select
          aria-label="Type"
          value={type ?? ''}
          onChange={({ target }) => change({ type: target.value || undefined, page: undefined })}
          className="field"
        >
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
              onPage={(next) => change({ page: next === 1 ? undefined : next })}
            />
          )}
        </span>
      </div>
      <ArtifactsTable
        artifacts={rows}
        byKey
        empty={find || type ? <EmptyState title="No artifact matches">Take a filter off.</EmptyState> : undefined}
      />
    </Page>
  )
}
