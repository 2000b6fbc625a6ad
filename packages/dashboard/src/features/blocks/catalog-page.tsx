import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { blockTypesQuery } from '../../api/blocks.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Page } from '../../ui/page.tsx'
import { SearchBox } from '../../ui/search-box.tsx'
import type { SearchChange } from '../../use-search-change.ts'
import { QueryView } from '../query-view.tsx'
import { CapabilityPicker } from './block-pickers.tsx'
import { BlockTypeIcon } from './block-type-icon.tsx'

interface CatalogSearch {
  readonly name?: string
  readonly capability?: string[]
}

interface CatalogPageProps {
  readonly search: CatalogSearch
  readonly onSearch: SearchChange<CatalogSearch>
}

export function CatalogPage({ search, onSearch }: CatalogPageProps) {
  const { name, capability } = search
  const types = useQuery(
    blockTypesQuery({
      ...(name && { block_types: { name: { like_: name } } }),
      ...(capability && { block_schemas: { block_capabilities: { all_: capability } } }),
      limit: 200,
    }),
  )
  return (
    <Page
      title="Block types"
      crumbs={[{ label: 'Blocks', to: '/blocks' }]}
      titleAside={types.data && <span className="text-faint">{types.data.length.toLocaleString()}</span>}
    >
      <div className="flex flex-wrap gap-2 pb-3">
        <SearchBox
          label="Filter by name"
          placeholder="Name"
          shortcut="/"
          value={name ?? ''}
          onChange={(text) => onSearch({ name: text || undefined })}
        />
        <CapabilityPicker chosen={capability ?? []} onChange={(chosen) => onSearch({ capability: chosen })} />
      </div>
      <QueryView query={types}>
        {(found) =>
          found.length === 0 ? (
            <EmptyState title="No results" command="prefect block register -m my_package.blocks">
              Register the block types of an integration, or your own, with this command.
            </EmptyState>
          ) : (
            <ul aria-label="Block types" className="grid gap-3 sm:grid-cols-2 lg:grid-cols-3 xl:grid-cols-4">
              {found.map((type) => (
                <li key={type.id}>
                  <Link
                    to="/blocks/catalog/$slug"
                    params={{ slug: type.slug }}
                    className="card flex h-full items-start gap-3 p-3.5 hover:border-edge"
                  >
                    <BlockTypeIcon name={type.name} size="large" />
                    <span className="min-w-0">
                      <span className="block font-semibold">{type.name}</span>
                      <span className="line-clamp-2 text-soft">{type.description}</span>
                    </span>
                  </Link>
                </li>
              ))}
            </ul>
          )
        }
      </QueryView>
    </Page>
  )
}
