import { useQuery } from '@tanstack/react-query'
import { eventCountsQuery } from '../../api/events.ts'
import { Button } from '../../ui/button.tsx'
import { FilterChip } from '../../ui/filter-chip.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Menu, MenuChoice } from '../../ui/menu.tsx'
import { Picker } from '../../ui/picker.tsx'
import { usePreferences } from '../../ui/preferences.ts'
import { SearchBox } from '../../ui/search-box.tsx'
import { formatTime } from '../../ui/time-format.ts'
import type { SearchChange } from '../../use-search-change.ts'
import { timeChoices } from '../flow-runs/runs-search.ts'
import { EventPrefixPicker } from './event-prefix-picker.tsx'
import type { EventsSearch, TimeRange } from './events-search.ts'
import { ResourceLink } from './resource-link.tsx'
import { ResourcePicker } from './resource-picker.tsx'

interface EventFiltersProps {
  readonly search: EventsSearch
  readonly range: TimeRange
  readonly onChange: SearchChange<EventsSearch>
}

const resourceDays = 7

/** Event filters. Each change updates the URL. */
export function EventFilters({ search, range, onChange }: EventFiltersProps) {
  const occurred = { since: new Date(Math.floor(range.since / 60_000) * 60_000).toISOString() }
  // Resources are suggested from a longer range than the one shown.
  const recent = { since: new Date(Math.floor(Math.min(range.since, range.until - resourceDays * 86_400_000) / 60_000) * 60_000).toISOString() }
  const names = useQuery(eventCountsQuery('event', { filter: { occurred } }))
  return (
    <div className="flex flex-col gap-2 pb-2">
      <div className="flex flex-wrap items-center gap-2">
        <SearchBox
          label="Search events"
          placeholder='Search text, "a phrase", -exclude'
          shortcut="/"
          className="sm:max-w-72"
          value={search.text ?? ''}
          onChange={(text) => onChange({ text: text || undefined })}
        />
        <Picker
          label="Event"
          options={names.data?.map(({ value, count }) => ({
            value,
            label: (
              <span className="flex min-w-0 flex-1 justify-between gap-2">
                <span className="truncate">{value}</span>
                <span className="text-faint text-sm">{count.toLocaleString()}</span>
              </span>
            ),
          }))}
          chosen={search.event ?? []}
          onChange={(event) => onChange({ event })}
        />
        <EventPrefixPicker onAdd={(prefix) => onChange({ event: [...new Set([...(search.event ?? []), prefix])] })} />
        <ResourcePicker label="Resource" chosen={search.resource ?? []} occurred={recent} onChange={(resource) => onChange({ resource })} />
        <ResourcePicker label="Related" chosen={search.related ?? []} occurred={recent} onChange={(related) => onChange({ related })} />
        <Menu
          align="start"
          trigger={
            <Button className={search.since ? 'border-accent' : 'text-soft'}>
              Time
              <Icon name="down" size={12} className="text-faint" />
            </Button>
          }
        >
          <MenuChoice
            value={search.until ? '' : (search.since ?? '')}
            onChange={(since) => onChange({ since, until: undefined })}
            options={timeChoices}
          />
        </Menu>
      </div>
      <EventFilterChips search={search} range={range} onChange={onChange} />
    </div>
  )
}

interface ChipsProps {
  readonly search: EventsSearch
  readonly range: TimeRange
  readonly onChange: SearchChange<EventsSearch>
}

function EventFilterChips({ search, range, onChange }: ChipsProps) {
  const preferences = usePreferences()
  const { event, resource, related, text, since, until } = search
  if (!(event || resource || related || text || since || until)) return null
  const rangeLabel = timeChoices.find(({ value }) => value === since && !until)?.label
  return (
    <div className="flex flex-wrap items-center gap-1.5">
      {text && (
        <FilterChip name="Text" onRemove={() => onChange({ text: undefined })}>
          {text}
        </FilterChip>
      )}
      {event && (
        <FilterChip name="Event" onRemove={() => onChange({ event: undefined })}>
          {event.join(', ')}
        </FilterChip>
      )}
      {resource && (
        <FilterChip name="Resource" onRemove={() => onChange({ resource: undefined })}>
          {resource.map((id) => (
            <ResourceLink key={id} id={id} />
          ))}
        </FilterChip>
      )}
      {related && (
        <FilterChip name="Related" onRemove={() => onChange({ related: undefined })}>
          {related.map((id) => (
            <ResourceLink key={id} id={id} />
          ))}
        </FilterChip>
      )}
      {(since || until) && (
        <FilterChip name="Time" onRemove={() => onChange({ since: undefined, until: undefined })}>
          {rangeLabel ??
            `${formatTime(range.since, 'minute', preferences)} – ${range.isOpen ? 'now' : formatTime(range.until, 'minute', preferences)}`}
        </FilterChip>
      )}
      <Button variant="quiet" className="h-7 text-sm" onClick={() => onChange(() => ({}))}>
        Clear filters
      </Button>
    </div>
  )
}
