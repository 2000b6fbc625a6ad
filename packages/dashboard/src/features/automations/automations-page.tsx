import { describeTrigger } from '@millrace/client/vocabulary/describe-trigger.ts'
import type { Automation } from '@millrace/contracts/automation.ts'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { automationCountQuery, automationStatusQuery, automationsQuery, searchAutomationsQuery } from '../../api/automations.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Menu, MenuItem, MenuSeparator } from '../../ui/menu.tsx'
import { Page } from '../../ui/page.tsx'
import { Pagination } from '../../ui/pagination.tsx'
import { usePreferences } from '../../ui/preferences.ts'
import { SearchBox } from '../../ui/search-box.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { Table } from '../../ui/table.tsx'
import { TagList } from '../../ui/tag-list.tsx'
import { TimeText } from '../../ui/time-text.tsx'
import type { SearchChange } from '../../use-search-change.ts'
import { QueryView } from '../query-view.tsx'
import { AutomationSwitch } from './automation-switch.tsx'
import { DeleteAutomationDialog } from './delete-automation-dialog.tsx'
import { describeAction } from './describe-action.ts'
import { TextParts } from './description-view.tsx'
import { useAutomationActions } from './use-automation-actions.ts'

interface AutomationsSearch {
  readonly name?: string
  readonly tag?: string
  readonly page?: number
}

interface AutomationsPageProps {
  readonly search: AutomationsSearch
  readonly onSearch: SearchChange<AutomationsSearch>
}

export function AutomationsPage({ search, onSearch }: AutomationsPageProps) {
  const { page_size } = usePreferences()
  const { name, tag, page = 1 } = search
  const wanted = tag ? { automations: { tags: { all_: [tag] } } } : {}
  const first = (page - 1) * page_size
  const listed = useQuery({ ...automationsQuery({ ...wanted, limit: page_size, offset: first }), enabled: !name })
  const counted = useQuery({ ...automationCountQuery(wanted), enabled: !name })
  const named = useQuery({ ...searchAutomationsQuery(name ?? '', wanted), enabled: Boolean(name) })
  const found = name ? named : listed
  const count = name ? named.data?.length : counted.data
  return (
    <Page
      title="Automations"
      actions={
        <>
          {count !== undefined && (
            <Pagination
              page={page}
              pages={Math.max(1, Math.ceil(count / page_size))}
              count={count}
              noun={count === 1 ? 'automation' : 'automations'}
              onPage={(next) => onSearch({ page: next })}
            />
          )}
          <Link to="/automations/create" className={buttonClass('primary')}>
            <Icon name="plus" size={15} />
            New automation
          </Link>
        </>
      }
    >
      <div className="flex flex-wrap gap-2 pb-3">
        <SearchBox
          label="Filter by name"
          placeholder="Name"
          shortcut="/"
          value={name ?? ''}
          onChange={(text) => onSearch({ name: text || undefined, page: undefined })}
        />
        <SearchBox
          label="Filter by tag"
          placeholder="Tag"
          icon="tag"
          value={tag ?? ''}
          onChange={(text) => onSearch({ tag: text || undefined, page: undefined })}
        />
      </div>
      <QueryView query={found}>
        {(all) => {
          const rows = name ? all.slice(first, first + page_size) : all
          return rows.length === 0 ? <NoAutomations filtered={Boolean(name || tag)} /> : <AutomationTable rows={rows} />
        }}
      </QueryView>
    </Page>
  )
}

function NoAutomations({ filtered }: { readonly filtered: boolean }) {
  if (filtered) return <EmptyState title="No results">Clear filters to see all automations.</EmptyState>
  return (
    <EmptyState title="No automations yet" command="prefect automation create --from-file automation.yaml">
      Automations run actions when events happen, or do not happen.
    </EmptyState>
  )
}

function AutomationTable({ rows }: { readonly rows: readonly Automation[] }) {
  const { setEnabled, remove } = useAutomationActions()
  const navigate = useNavigate()
  const [deleting, setDeleting] = useState<Automation>()
  return (
    <>
      <Table
        label="Automations"
        rows={rows}
        rowKey={({ id }) => id}
        columns={[
          {
            header: 'Name',
            className: 'md:w-2/5',
            cell: ({ id, name, trigger }) => (
              <div className="min-w-0 py-1">
                <Link to="/automations/automation/$id" params={{ id }} className="quiet-link font-medium">
                  {name}
                </Link>
                <p className="line-clamp-2 text-soft text-sm">
                  <TextParts parts={describeTrigger(trigger).parts} />
                </p>
              </div>
            ),
          },
          {
            header: 'Actions',
            cell: ({ actions }) => (
              <span className="line-clamp-2 text-soft">
                {actions.map((action, index) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: actions have no id
                  <span key={index}>
                    {index > 0 && '; '}
                    <TextParts parts={describeAction(action)} />
                  </span>
                ))}
              </span>
            ),
            className: 'hidden md:table-cell',
          },
          { header: 'Last fired', cell: ({ id }) => <LastFired id={id} />, className: 'hidden md:table-cell max-w-72' },
          { header: 'Tags', cell: ({ tags }) => <TagList tags={tags} />, className: 'hidden lg:table-cell' },
          { header: 'Enabled', cell: (automation) => <AutomationSwitch automation={automation} onToggle={setEnabled} />, className: 'w-16' },
          {
            header: 'Menu',
            cell: (automation) => (
              <Menu trigger={<Button variant="quiet" icon="more" aria-label={`More for ${automation.name}`} />}>
                <MenuItem onSelect={() => void navigate({ to: '/automations/automation/$id/edit', params: { id: automation.id } })}>Edit</MenuItem>
                <MenuItem
                  icon="duplicate"
                  onSelect={() => void navigate({ to: '/automations/create', search: { from: `automation:${automation.id}` } })}
                >
                  Duplicate
                </MenuItem>
                <MenuSeparator />
                <MenuItem icon="trash" danger onSelect={() => setDeleting(automation)}>
                  Delete…
                </MenuItem>
              </Menu>
            ),
            alignEnd: true,
            className: 'w-12',
          },
        ]}
      />
      <DeleteAutomationDialog
        automation={deleting}
        onClose={() => setDeleting(undefined)}
        onDelete={() => {
          if (deleting) void remove(deleting)
          setDeleting(undefined)
        }}
      />
    </>
  )
}

/** Time of the last firing, or the reason for none. */
function LastFired({ id }: { readonly id: string }) {
  const { data } = useQuery(automationStatusQuery(id))
  if (!data) return <Skeleton className="h-3 w-24" />
  return (
    <span className="flex min-w-0 items-baseline gap-1.5">
      {data.last_fired ? <TimeText time={data.last_fired} show="relative" /> : <span className="shrink-0 text-faint">Never</span>}
      {data.reason && (
        <span className="min-w-0 truncate text-faint text-sm" title={data.reason}>
          {data.reason}
        </span>
      )}
    </span>
  )
}
