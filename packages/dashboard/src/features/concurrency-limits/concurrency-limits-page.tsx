import type { GlobalConcurrencyLimitResponse } from '@millrace/contracts/global-concurrency-limit.ts'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { concurrencyLimitsQuery, limitHoldersQuery, updateLimit } from '../../api/concurrency-limits.ts'
import { Button } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Page } from '../../ui/page.tsx'
import { RowSwitch } from '../../ui/row-switch.tsx'
import { SearchBox } from '../../ui/search-box.tsx'
import { Table } from '../../ui/table.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import type { SearchChange } from '../../use-search-change.ts'
import { DeploymentName } from '../flow-runs/filter-chips.tsx'
import { QueryView } from '../query-view.tsx'
import { useAction } from '../use-action.ts'
import { SlotUsage } from '../work-pools/slot-usage.tsx'
import { LimitDialog } from './limit-dialog.tsx'
import { LimitMenu } from './limit-menu.tsx'
import { deploymentIdOf, type LimitKind, type LimitsSearch, limitKindOf, tagOfLimit } from './limits-search.ts'

interface ConcurrencyLimitsPageProps {
  readonly search: LimitsSearch
  readonly onSearch: SearchChange<LimitsSearch>
}

const tabLabels: Record<LimitKind, string> = { named: 'Global', tag: 'Tags', deployment: 'Deployments' }

export function ConcurrencyLimitsPage({ search, onSearch }: ConcurrencyLimitsPageProps) {
  const limits = useQuery(concurrencyLimitsQuery())
  const [creating, setCreating] = useState(false)
  const kind = search.kind ?? 'named'
  const byKind = Map.groupBy(limits.data ?? [], limitKindOf)
  return (
    <Page
      title="Concurrency limits"
      actions={
        kind !== 'deployment' && (
          <Button variant="primary" icon="plus" onClick={() => setCreating(true)}>
            {kind === 'tag' ? 'New tag limit' : 'New limit'}
          </Button>
        )
      }
    >
      <Tabs
        label="Limit types"
        value={kind}
        onChange={(next) => onSearch({ kind: next === 'named' ? undefined : (next as LimitKind) })}
        tabs={(['named', 'tag', 'deployment'] as const).map((each) => ({
          value: each,
          label: tabLabels[each],
          count: limits.data && (byKind.get(each)?.length ?? 0),
        }))}
      >
        <div className="flex pb-3">
          <SearchBox
            label="Filter by name"
            placeholder="Name"
            shortcut="/"
            value={search.name ?? ''}
            onChange={(name) => onSearch({ name: name || undefined })}
          />
        </div>
        <QueryView query={limits}>
          {() => <LimitsTable kind={kind} limits={filterByName(byKind.get(kind) ?? [], search.name)} isFiltered={!!search.name} />}
        </QueryView>
      </Tabs>
      {creating && <LimitDialog kind={kind} onClose={() => setCreating(false)} />}
    </Page>
  )
}

const filterByName = (limits: readonly GlobalConcurrencyLimitResponse[], name: string | undefined) =>
  name ? limits.filter((limit) => limit.name.toLowerCase().includes(name.toLowerCase())) : limits

interface LimitsTableProps {
  readonly kind: LimitKind
  readonly limits: readonly GlobalConcurrencyLimitResponse[]
  readonly isFiltered: boolean
}

function LimitsTable({ kind, limits, isFiltered }: LimitsTableProps) {
  if (limits.length === 0)
    return isFiltered ? <EmptyState title="No results">Clear the filter to see all limits.</EmptyState> : <NoLimits kind={kind} />
  return (
    <Table
      label="Limits"
      rows={limits}
      rowKey={({ id }) => id}
      columns={[
        {
          header: 'Name',
          cell: (limit) => (
            <Link to="/concurrency-limits/concurrency-limit/$id" params={{ id: limit.id }} className="quiet-link font-medium">
              <LimitName limit={limit} />
            </Link>
          ),
          className: 'min-w-28',
        },
        { header: 'Slots', cell: ({ active_slots, limit }) => <SlotUsage used={active_slots} limit={limit} /> },
        {
          header: 'Waiting',
          cell: (limit) =>
            limit.active && limit.active_slots >= limit.limit ? <WaiterCount id={limit.id} /> : <span className="text-faint">–</span>,
          className: 'hidden sm:table-cell',
        },
        {
          header: 'Release',
          cell: ({ slot_decay_per_second }) => (
            <span className="text-soft">{slot_decay_per_second > 0 ? `${slot_decay_per_second} slots per second` : 'by the holder'}</span>
          ),
          className: 'hidden md:table-cell',
        },
        { header: 'Enabled', cell: (limit) => <ActiveSwitch limit={limit} />, alignEnd: true },
        { header: '', cell: (limit) => <LimitMenu limit={limit} />, className: 'w-10 px-1', alignEnd: true },
      ]}
    />
  )
}

function NoLimits({ kind }: { readonly kind: LimitKind }) {
  if (kind === 'tag') {
    return (
      <EmptyState title="No tag limits yet" command="prefect concurrency-limit create warehouse 3">
        A tag limit caps how many task runs with the tag run at once, across all flow runs.
      </EmptyState>
    )
  }
  if (kind === 'deployment') return <EmptyState title="No deployment limits yet">Edit a deployment to set its concurrency limit.</EmptyState>
  return (
    <EmptyState title="No limits yet" command="prefect gcl create database --limit 5">
      A global limit caps how many tasks or runs use a resource at once.
    </EmptyState>
  )
}

/** Requested only for full limits. Others have no waiters. */
function WaiterCount({ id }: { readonly id: string }) {
  const { data } = useQuery(limitHoldersQuery(id))
  return data ? <span className={data.waiter_count > 0 ? 'font-medium text-warning' : 'text-faint'}>{data.waiter_count}</span> : null
}

function ActiveSwitch({ limit }: { readonly limit: GlobalConcurrencyLimitResponse }) {
  const { busy, attempt } = useAction('concurrency-limits')
  return (
    <RowSwitch
      label={`${limit.name} enabled`}
      checked={limit.active}
      disabled={busy}
      onChange={(active) =>
        void attempt(async () => {
          await updateLimit(limit.id, { active })
          return active ? `${limit.name} enabled` : `${limit.name} disabled: slots are no longer limited`
        })
      }
    />
  )
}

/** The display name of a limit: its tag or deployment, or its own name. */
function LimitName({ limit }: { readonly limit: Pick<GlobalConcurrencyLimitResponse, 'name'> }) {
  const id = deploymentIdOf(limit.name)
  if (id) return <DeploymentName id={id} />
  return <>{limitKindOf(limit) === 'tag' ? tagOfLimit(limit.name) : limit.name}</>
}
