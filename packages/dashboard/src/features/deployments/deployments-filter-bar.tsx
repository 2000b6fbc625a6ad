import { useQuery } from '@tanstack/react-query'
import { useDeferredValue, useState } from 'react'
import { flowsQuery } from '../../api/flows.ts'
import { workPoolsQuery } from '../../api/work-pools.ts'
import { Button } from '../../ui/button.tsx'
import { FilterChip } from '../../ui/filter-chip.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Menu, MenuChoice } from '../../ui/menu.tsx'
import { Picker } from '../../ui/picker.tsx'
import { SearchBox } from '../../ui/search-box.tsx'
import type { SearchChange } from '../../use-search-change.ts'
import { FlowName } from '../flow-runs/run-link.tsx'
import { TagPicker } from '../flow-runs/tag-picker.tsx'
import { TagChips, withoutTag } from '../flows/tag-chips.tsx'
import { SortMenu } from '../list-controls.tsx'
import { type DeploymentsSearch, deploymentSorts, hasFilters } from './deployments-search.ts'

interface FilterBarProps {
  readonly search: DeploymentsSearch
  readonly onSearch: SearchChange<DeploymentsSearch>
}

export function DeploymentsFilterBar({ search, onSearch }: FilterBarProps) {
  /** A changed filter returns to the first page. */
  const set = (change: Partial<DeploymentsSearch>) => onSearch({ page: undefined, ...change })
  const pools = useQuery(workPoolsQuery())
  return (
    <div className="pb-3">
      <div className="flex flex-wrap items-center gap-2">
        <SearchBox
          label="Filter by name"
          placeholder="Deployment or flow"
          shortcut="/"
          value={search.name ?? ''}
          onChange={(name) => set({ name: name || undefined })}
        />
        <FlowPicker chosen={search.flow ?? []} onChange={(flow) => set({ flow })} />
        <Picker
          label="Pool"
          options={pools.data?.map(({ name }) => ({ value: name, label: name }))}
          chosen={search.pool ?? []}
          onChange={(pool) => set({ pool })}
        />
        <TagPicker chosen={search.tag ?? []} onChange={(tag) => set({ tag })} />
        <Menu
          align="start"
          trigger={
            <Button className={search.paused ? 'border-accent' : 'text-soft'}>
              Paused
              <Icon name="down" size={12} className="text-faint" />
            </Button>
          }
        >
          <MenuChoice
            value={search.paused ?? 'any'}
            onChange={(paused) => set({ paused: paused === 'any' ? undefined : paused })}
            options={[
              { value: 'any', label: 'Paused or not' },
              { value: 'yes', label: 'Paused' },
              { value: 'no', label: 'Not paused' },
            ]}
          />
        </Menu>
        <SortMenu sorts={deploymentSorts} value={search.sort ?? 'name'} onChange={(sort) => set({ sort: sort === 'name' ? undefined : sort })} />
      </div>
      {hasFilters({ ...search, name: undefined } as DeploymentsSearch) && (
        <div className="flex flex-wrap items-center gap-1.5 pt-2">
          {search.flow && (
            <FilterChip name="Flow" onRemove={() => set({ flow: undefined })}>
              {search.flow.map((id) => (
                <FlowName key={id} id={id} />
              ))}
            </FilterChip>
          )}
          {search.pool && (
            <FilterChip name="Pool" onRemove={() => set({ pool: undefined })}>
              {search.pool.join(', ')}
            </FilterChip>
          )}
          <TagChips tags={search.tag} onRemove={(tag) => onSearch(withoutTag(tag))} />
          {search.paused && (
            <FilterChip name="Paused" onRemove={() => set({ paused: undefined })}>
              {search.paused}
            </FilterChip>
          )}
        </div>
      )}
    </div>
  )
}

function FlowPicker({ chosen, onChange }: { readonly chosen: readonly string[]; onChange(chosen: string[]): void }) {
  const [text, setText] = useState('')
  const settled = useDeferredValue(text)
  const flows = useQuery(flowsQuery({ ...(settled && { flows: { name: { like_: settled } } }), limit: 50 }))
  return (
    <Picker
      label="Flow"
      options={flows.data?.map(({ id, name }) => ({ value: id, label: name }))}
      chosen={chosen}
      onChange={onChange}
      onSearch={setText}
    />
  )
}
