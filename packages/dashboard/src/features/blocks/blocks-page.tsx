import type { BlockDocument } from '@millrace/contracts/block-document.ts'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { blockCountQuery, blocksQuery } from '../../api/blocks.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Menu, MenuItem, MenuSeparator } from '../../ui/menu.tsx'
import { Page } from '../../ui/page.tsx'
import { Pagination } from '../../ui/pagination.tsx'
import { usePreferences } from '../../ui/preferences.ts'
import { SearchBox } from '../../ui/search-box.tsx'
import { Table } from '../../ui/table.tsx'
import { TimeText } from '../../ui/time-text.tsx'
import type { SearchChange } from '../../use-search-change.ts'
import { QueryView } from '../query-view.tsx'
import { BlockTypePicker, CapabilityPicker } from './block-pickers.tsx'
import { BlockTypeIcon } from './block-type-icon.tsx'
import { DeleteBlockDialog } from './delete-block-dialog.tsx'

interface BlocksSearch {
  readonly name?: string
  /** Slugs of block types. */
  readonly type?: string[]
  readonly capability?: string[]
  readonly page?: number
}

interface BlocksPageProps {
  readonly search: BlocksSearch
  readonly onSearch: SearchChange<BlocksSearch>
}

export function BlocksPage({ search, onSearch }: BlocksPageProps) {
  const { page_size } = usePreferences()
  const { name, type, capability, page = 1 } = search
  const filter = {
    ...(name && { block_documents: { name: { like_: name } } }),
    ...(type && { block_types: { slug: { any_: type } } }),
    ...(capability && { block_schemas: { block_capabilities: { all_: capability } } }),
  }
  const found = useQuery(blocksQuery({ ...filter, limit: page_size, offset: (page - 1) * page_size }))
  const count = useQuery(blockCountQuery(filter))
  const set = (change: Partial<BlocksSearch>) => onSearch({ page: undefined, ...change })
  return (
    <Page
      title="Blocks"
      actions={
        <>
          {count.data !== undefined && (
            <Pagination
              page={page}
              pages={Math.max(1, Math.ceil(count.data / page_size))}
              count={count.data}
              noun={count.data === 1 ? 'block' : 'blocks'}
              onPage={(next) => set({ page: next })}
            />
          )}
          <Link to="/blocks/catalog" className={buttonClass('primary')}>
            <Icon name="plus" size={15} />
            New block
          </Link>
        </>
      }
    >
      <div className="flex flex-wrap gap-2 pb-3">
        <SearchBox label="Filter by name" placeholder="Name" shortcut="/" value={name ?? ''} onChange={(text) => set({ name: text || undefined })} />
        <BlockTypePicker chosen={type ?? []} onChange={(chosen) => set({ type: chosen })} />
        <CapabilityPicker chosen={capability ?? []} onChange={(chosen) => set({ capability: chosen })} />
      </div>
      <QueryView query={found}>
        {(rows) =>
          rows.length > 0 ? (
            <BlockTable rows={rows} />
          ) : Object.keys(filter).length > 0 ? (
            <EmptyState title="No results">Clear filters to see all blocks.</EmptyState>
          ) : (
            <EmptyState title="No blocks yet" command="prefect block create secret">
              Blocks store settings and secrets for flows, workers and automations. Select New block to see all types.
            </EmptyState>
          )
        }
      </QueryView>
    </Page>
  )
}

function BlockTable({ rows }: { readonly rows: readonly BlockDocument[] }) {
  const navigate = useNavigate()
  const [deleting, setDeleting] = useState<BlockDocument>()
  return (
    <>
      <Table
        label="Blocks"
        rows={rows}
        rowKey={({ id }) => id}
        columns={[
          {
            header: 'Name',
            cell: ({ id, name, block_type }) => (
              <span className="flex items-center gap-2.5">
                <BlockTypeIcon name={block_type?.name ?? ''} />
                <Link to="/blocks/block/$id" params={{ id }} className="quiet-link font-medium">
                  {name}
                </Link>
              </span>
            ),
          },
          {
            header: 'Type',
            cell: ({ block_type }) =>
              block_type && (
                <Link to="/blocks/catalog/$slug" params={{ slug: block_type.slug }} className="quiet-link text-soft">
                  {block_type.name}
                </Link>
              ),
          },
          {
            header: 'Capabilities',
            cell: ({ block_schema }) => <span className="text-soft">{block_schema?.capabilities.join(', ')}</span>,
            className: 'hidden lg:table-cell',
          },
          { header: 'Updated', cell: ({ updated }) => <TimeText time={updated} show="relative" />, className: 'hidden sm:table-cell' },
          {
            header: 'Actions',
            cell: (block) => (
              <Menu trigger={<Button variant="quiet" icon="more" aria-label={`More for ${block.name}`} />}>
                <MenuItem onSelect={() => void navigate({ to: '/blocks/block/$id/edit', params: { id: block.id } })}>Edit</MenuItem>
                <MenuSeparator />
                <MenuItem icon="trash" danger onSelect={() => setDeleting(block)}>
                  Delete…
                </MenuItem>
              </Menu>
            ),
            alignEnd: true,
            className: 'w-12',
          },
        ]}
      />
      <DeleteBlockDialog block={deleting} onClose={() => setDeleting(undefined)} onDeleted={() => setDeleting(undefined)} />
    </>
  )
}
