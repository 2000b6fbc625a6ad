import { type FlowRunOrder, flowRunSorts } from '@millrace/client/vocabulary/run-sorts.ts'
import { useQuery } from '@tanstack/react-query'
import { useDeferredValue, useState } from 'react'
import { deploymentsQuery } from '../../api/deployments.ts'
import { flowsQuery } from '../../api/flows.ts'
import { workPoolsQuery } from '../../api/work-pools.ts'
import { workQueuesQuery } from '../../api/work-queues.ts'
import { Button } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Menu, MenuCheck, MenuChoice, MenuLabel, MenuSeparator } from '../../ui/menu.tsx'
import { Picker } from '../../ui/picker.tsx'
import { SearchBox } from '../../ui/search-box.tsx'
import type { SearchChange } from '../../use-search-change.ts'
import { ParameterPicker } from './parameter-picker.tsx'
import { type RunsSearch, timeChoices } from './runs-search.ts'
import { SavedSearches } from './saved-searches.tsx'
import { StatePicker } from './state-picker.tsx'
import { TagPicker } from './tag-picker.tsx'

interface FilterBarProps {
  readonly search: RunsSearch
  readonly onChange: SearchChange<RunsSearch>
}

/** Filters of the run list, stored in the URL. */
export function RunsFilterBar({ search, onChange: set }: FilterBarProps) {
  return (
    <div className="flex flex-wrap items-center gap-2">
      <SearchBox
        label="Filter by name"
        placeholder="Name"
        shortcut="/"
        value={search.name ?? ''}
        onChange={(name) => set({ name: name || undefined })}
      />
      <div className="-mx-4 flex items-center gap-2 overflow-x-auto px-4 [scrollbar-width:none] md:mx-0 md:overflow-visible md:px-0">
        <StatePicker chosen={search.state ?? []} onChange={(state) => set({ state })} />
        <FlowPicker chosen={search.flow ?? []} onChange={(flow) => set({ flow })} />
        <DeploymentPicker chosen={search.deployment ?? []} onChange={(deployment) => set({ deployment })} />
        <PoolPicker chosen={search.pool ?? []} onChange={(pool) => set({ pool })} />
        <QueuePicker chosen={search.queue ?? []} onChange={(queue) => set({ queue })} />
        <TagPicker chosen={search.tag ?? []} onChange={(tag) => set({ tag })} />
        <ParameterPicker chosen={search.parameter ?? []} onChange={(parameter) => set({ parameter })} />
        <Menu
          align="start"
          trigger={
            <Button className={search.since || search.until ? 'border-accent' : 'text-soft'}>
              Time
              <Icon name="down" size={12} className="text-faint" />
            </Button>
          }
        >
          <MenuChoice
            value={search.since ?? 'any'}
            onChange={(since) => set({ since: since === 'any' ? undefined : since, until: undefined })}
            options={[{ value: 'any', label: 'Any time' }, ...timeChoices]}
          />
        </Menu>
        <Menu trigger={<Button icon="sort" variant="quiet" aria-label="Sort and display" />}>
          <MenuLabel>Sort by</MenuLabel>
          <MenuChoice
            value={search.sort ?? 'newest'}
            onChange={(sort) => set({ sort: sort === 'newest' ? undefined : sort })}
            options={(Object.keys(flowRunSorts) as FlowRunOrder[]).map((value) => ({ value, label: flowRunSorts[value].label }))}
          />
          <MenuSeparator />
          <MenuCheck checked={search.subflows === 'hide'} onChange={(hide) => set({ subflows: hide ? 'hide' : undefined })}>
            Hide sub-flows
          </MenuCheck>
          <MenuCheck checked={search.upcoming === 'show'} onChange={(show) => set({ upcoming: show ? 'show' : undefined })}>
            Show upcoming runs
          </MenuCheck>
        </Menu>
        <SavedSearches search={search} onChange={set} />
      </div>
    </div>
  )
}

interface PickProps {
  readonly chosen: readonly string[]
  onChange(chosen: string[]): void
}

const nameFilter = (text: string) => (text ? { name: { like_: text } } : undefined)

function FlowPicker({ chosen, onChange }: PickProps) {
  const [text, setText] = useState('')
  const flows = useQuery(flowsQuery({ flows: nameFilter(useDeferredValue(text)), limit: 50 }))
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

function DeploymentPicker({ chosen, onChange }: PickProps) {
  const [text, setText] = useState('')
  const found = useQuery(deploymentsQuery({ deployments: nameFilter(useDeferredValue(text)), limit: 50 }))
  const options = found.data?.map(({ id, name }) => ({ value: id, label: name }))
  return <Picker label="Deployment" options={options} chosen={chosen} onChange={onChange} onSearch={setText} />
}

function PoolPicker(props: PickProps) {
  const pools = useQuery(workPoolsQuery())
  return <Picker label="Pool" options={pools.data?.map(({ name }) => ({ value: name, label: name }))} {...props} />
}

function QueuePicker(props: PickProps) {
  const queues = useQuery(workQueuesQuery())
  const names = [...new Set(queues.data?.map(({ name }) => name))]
  return <Picker label="Queue" options={names.map((name) => ({ value: name, label: name }))} {...props} />
}
