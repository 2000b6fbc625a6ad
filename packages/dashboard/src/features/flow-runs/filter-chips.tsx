import { useQuery } from '@tanstack/react-query'
import { deploymentQuery } from '../../api/deployments.ts'
import { Button } from '../../ui/button.tsx'
import { FilterChip } from '../../ui/filter-chip.tsx'
import { usePreferences } from '../../ui/preferences.ts'
import { formatTime } from '../../ui/time-format.ts'
import type { SearchChange } from '../../use-search-change.ts'
import { FlowName } from './run-link.tsx'
import { type RunsSearch, timeChoices } from './runs-search.ts'

interface FilterChipsProps {
  readonly search: RunsSearch
  readonly onChange: SearchChange<RunsSearch>
}

/** Active filters, each with a remove button. */
export function FilterChips({ search, onChange }: FilterChipsProps) {
  const without = (...keys: (keyof RunsSearch)[]) => onChange(Object.fromEntries(keys.map((key) => [key, undefined])))
  const { state, flow, deployment, pool, queue, tag, parameter, name, since, until, upcoming } = search
  if (!(state || flow || deployment || pool || queue || tag || parameter || name || since || until || upcoming)) return null
  return (
    <div className="flex flex-wrap items-center gap-1.5 pt-2">
      {name && (
        <FilterChip name="Name" onRemove={() => without('name')}>
          {name}
        </FilterChip>
      )}
      {state && (
        <FilterChip name="State" onRemove={() => without('state')}>
          {state.join(', ')}
        </FilterChip>
      )}
      {flow && (
        <FilterChip name="Flow" onRemove={() => without('flow')}>
          {flow.map((id) => (
            <FlowName key={id} id={id} />
          ))}
        </FilterChip>
      )}
      {deployment && (
        <FilterChip name="Deployment" onRemove={() => without('deployment')}>
          {deployment.map((id) => (
            <DeploymentName key={id} id={id} />
          ))}
        </FilterChip>
      )}
      {pool && (
        <FilterChip name="Pool" onRemove={() => without('pool')}>
          {pool.join(', ')}
        </FilterChip>
      )}
      {queue && (
        <FilterChip name="Queue" onRemove={() => without('queue')}>
          {queue.join(', ')}
        </FilterChip>
      )}
      {tag && (
        <FilterChip name="Tag" onRemove={() => without('tag')}>
          {tag.join(' and ')}
        </FilterChip>
      )}
      {parameter?.map((criterion) => (
        <FilterChip
          key={criterion}
          name="Parameter"
          onRemove={() => onChange((present) => ({ ...present, parameter: present.parameter?.filter((each) => each !== criterion) }))}
        >
          <code className="font-mono">{criterion}</code>
        </FilterChip>
      ))}
      {(since || until) && (
        <FilterChip name="Time" onRemove={() => without('since', 'until')}>
          <TimeFilterText since={since} until={until} />
        </FilterChip>
      )}
      {upcoming && (
        <FilterChip name="Upcoming" onRemove={() => without('upcoming')}>
          shown
        </FilterChip>
      )}
      <Button variant="quiet" className="h-7 text-sm" onClick={() => onChange(() => ({}))}>
        Clear filters
      </Button>
    </div>
  )
}

export function DeploymentName({ id }: { readonly id: string }) {
  const { data } = useQuery(deploymentQuery(id))
  return <>{data === undefined ? '…' : (data?.name ?? 'deleted deployment')}</>
}

function TimeFilterText({ since, until }: { readonly since: string | undefined; readonly until: string | undefined }) {
  const preferences = usePreferences()
  const timeText = (text: string) => {
    const at = Date.parse(text)
    return timeChoices.find(({ value }) => value === text)?.label ?? (Number.isNaN(at) ? text : formatTime(at, 'minute', preferences))
  }
  return <>{[since && timeText(since), until && `until ${timeText(until)}`].filter(Boolean).join(' ')}</>
}
