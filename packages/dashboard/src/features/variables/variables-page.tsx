import type { Variable } from '@millrace/contracts/variable.ts'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { deleteVariable, variableCountQuery, variablesQuery } from '../../api/variables.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Page } from '../../ui/page.tsx'
import { Pagination } from '../../ui/pagination.tsx'
import { usePreferences } from '../../ui/preferences.ts'
import { SearchBox } from '../../ui/search-box.tsx'
import { Table } from '../../ui/table.tsx'
import { TagList } from '../../ui/tag-list.tsx'
import { TimeText } from '../../ui/time-text.tsx'
import type { SearchChange } from '../../use-search-change.ts'
import { TagPicker } from '../flow-runs/tag-picker.tsx'
import { TagChips, withoutTag } from '../flows/tag-chips.tsx'
import { SortMenu } from '../list-controls.tsx'
import { QueryView } from '../query-view.tsx'
import { useAction } from '../use-action.ts'
import { VariableDialog } from './variable-dialog.tsx'
import { type VariablesSearch, variableSorts, variablesFilter } from './variables-search.ts'

interface VariablesPageProps {
  readonly search: VariablesSearch
  readonly onSearch: SearchChange<VariablesSearch>
}

export function VariablesPage({ search, onSearch }: VariablesPageProps) {
  const { page_size } = usePreferences()
  const { page = 1, sort = 'name' } = search
  const filter = variablesFilter(search)
  const count = useQuery(variableCountQuery(filter))
  const variables = useQuery(variablesQuery({ ...filter, sort: variableSorts[sort].sort, limit: page_size, offset: (page - 1) * page_size }))
  const [editing, setEditing] = useState<Variable | 'new'>()
  /** A filter change goes back to the first page. */
  const set = (change: Partial<VariablesSearch>) => onSearch({ page: undefined, ...change })
  const isNarrowed = search.name !== undefined || search.tag !== undefined
  return (
    <Page
      title="Variables"
      actions={
        <>
          {count.data !== undefined && (
            <Pagination
              page={page}
              pages={Math.max(1, Math.ceil(count.data / page_size))}
              count={count.data}
              noun={count.data === 1 ? 'variable' : 'variables'}
              onPage={(next) => set({ page: next })}
            />
          )}
          <Button variant="primary" icon="plus" onClick={() => setEditing('new')}>
            New variable
          </Button>
        </>
      }
    >
      <div className="flex flex-wrap items-center gap-2 pb-3">
        <SearchBox
          label="Filter by name"
          placeholder="Name"
          shortcut="/"
          value={search.name ?? ''}
          onChange={(name) => set({ name: name || undefined })}
        />
        <TagPicker chosen={search.tag ?? []} onChange={(tag) => set({ tag })} />
        <SortMenu sorts={variableSorts} value={sort} onChange={(next) => set({ sort: next === 'name' ? undefined : next })} />
        <TagChips tags={search.tag} onRemove={(tag) => onSearch(withoutTag(tag))} />
      </div>
      <QueryView query={variables}>
        {(found) =>
          found.length > 0 ? (
            <VariablesTable variables={found} onEdit={setEditing} />
          ) : isNarrowed ? (
            <EmptyState title="No results">Clear filters to see all variables.</EmptyState>
          ) : (
            <EmptyState title="No variables yet" command="prefect variable set answer 42">
              Variables are small values that flows read at run time.
            </EmptyState>
          )
        }
      </QueryView>
      {editing && <VariableDialog {...(editing !== 'new' && { variable: editing })} onClose={() => setEditing(undefined)} />}
    </Page>
  )
}

interface VariablesTableProps {
  readonly variables: readonly Variable[]
  onEdit(variable: Variable): void
}

function VariablesTable({ variables, onEdit }: VariablesTableProps) {
  const [deleting, setDeleting] = useState<Variable>()
  const { attempt } = useAction('variables')
  return (
    <>
      <Table
        label="Variables"
        rows={variables}
        rowKey={({ id }) => id}
        columns={[
          {
            header: 'Name',
            cell: (variable) => (
              <button type="button" className="quiet-link text-left font-medium" onClick={() => onEdit(variable)}>
                {variable.name}
              </button>
            ),
          },
          {
            header: 'Value',
            cell: ({ value }) => <code className="line-clamp-1 font-mono text-sm">{JSON.stringify(value)}</code>,
            className: 'max-w-40 sm:max-w-96',
          },
          { header: 'Tags', cell: ({ tags }) => <TagList tags={tags} />, className: 'hidden md:table-cell' },
          {
            header: 'Updated',
            cell: ({ updated }) => <TimeText time={updated} show="relative" className="text-soft" />,
            className: 'hidden sm:table-cell',
            alignEnd: true,
          },
          {
            header: '',
            cell: (variable) => (
              <span className="flex justify-end">
                <CopyButton
                  text={() => (typeof variable.value === 'string' ? variable.value : JSON.stringify(variable.value))}
                  label={`Copy value of ${variable.name}`}
                />
                <IconButton icon="trash" label={`Delete ${variable.name}`} onClick={() => setDeleting(variable)} />
              </span>
            ),
            className: 'w-20 px-1',
            alignEnd: true,
          },
        ]}
      />
      <ConfirmDialog
        open={deleting !== undefined}
        title={`Delete ${deleting?.name ?? ''}?`}
        description="Flows that read it get no value, or their default."
        confirmLabel="Delete variable"
        onConfirm={() =>
          attempt(async () => {
            if (deleting) await deleteVariable(deleting.id)
            return `Deleted ${deleting?.name ?? ''}`
          })
        }
        onClose={() => setDeleting(undefined)}
      />
    </>
  )
}
