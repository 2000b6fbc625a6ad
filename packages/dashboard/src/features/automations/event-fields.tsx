import { type EventTriggerDraft, nonEmptyRelated, toMatchRelated } from '@millrace/client/vocabulary/event-trigger.ts'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { eventCountsQuery } from '../../api/events.ts'
import { Button } from '../../ui/button.tsx'
import { now } from '../../ui/clock.ts'
import { TextField } from '../../ui/field.tsx'
import { SegmentedControl } from '../../ui/segmented-control.tsx'
import { DurationField } from './duration-field.tsx'
import { LabelsField } from './labels-field.tsx'
import { type Suggestion, TokenField } from './token-field.tsx'

interface EventFieldsProps {
  readonly trigger: EventTriggerDraft
  onChange(trigger: EventTriggerDraft): void
  errorAt(field: string): string | undefined
}

const proactiveDefaultSeconds = 300

/** All fields of an event trigger. */
export function EventFields({ trigger, onChange, errorAt }: EventFieldsProps) {
  const set = (change: Partial<EventTriggerDraft>) => onChange({ ...trigger, ...change })
  const names = useEventNameSuggestions()
  const resources = useResourceSuggestions()
  const isProactive = trigger.posture === 'Proactive'
  const within = trigger.within ?? 0
  const related = relatedSpecs(trigger)
  return (
    <div className="flex flex-col gap-4 [&>[role=group]]:self-start">
      <SegmentedControl
        label="Fires when"
        value={trigger.posture}
        options={[
          { value: 'Reactive', label: 'An event occurs' },
          { value: 'Proactive', label: 'An event does not occur' },
        ]}
        onChange={(posture) => set({ posture, ...(posture === 'Proactive' && within === 0 && { within: proactiveDefaultSeconds }) })}
      />
      <TokenField
        label="Events"
        hint="Event names; * matches any text. Leave empty to match every event."
        tokens={trigger.expect ?? []}
        suggestions={names}
        placeholder="prefect.flow-run.Failed"
        error={errorAt('expect')}
        onChange={(expect) => set({ expect })}
      />
      <div className="flex flex-wrap gap-4">
        <div className="w-28">
          <TextField
            label={isProactive ? 'Fewer than' : 'Times'}
            type="number"
            min={isProactive ? 1 : 0}
            value={String(trigger.threshold ?? 1)}
            error={errorAt('threshold')}
            onChange={(event) => set({ threshold: Math.trunc(Number(event.target.value)) })}
          />
        </div>
        <DurationField
          label="Within"
          hint={isProactive ? 'At least 10 seconds.' : '0 means no time limit.'}
          seconds={within}
          error={errorAt('within')}
          onChange={(seconds) => set({ within: seconds })}
        />
      </div>
      <LabelsField
        label="Resource labels"
        hint="The resource must match every label. Leave empty to match every resource."
        spec={trigger.match ?? {}}
        resources={resources}
        error={errorAt('match')}
        onChange={(match) => set({ match })}
      />
      {related.map((spec, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: specifications have no id
        <div key={index} className="rounded-md border border-line p-3">
          <LabelsField
            label={related.length > 1 ? `Related resource (${index + 1})` : 'Related resource'}
            hint="A resource related to the event, such as its flow, its deployment or a tag."
            spec={spec}
            resources={resources}
            error={errorAt('match_related')}
            onChange={(next) => set({ match_related: related.map((each, at) => (at === index ? next : each)) })}
          />
          <Button
            variant="quiet"
            icon="trash"
            className="mt-2"
            onClick={() => set({ match_related: toMatchRelated(related.filter((_, at) => at !== index)) })}
          >
            Remove
          </Button>
        </div>
      ))}
      <Button icon="plus" className="self-start" onClick={() => set({ match_related: [...related, {}] })}>
        Related resource
      </Button>
      <TokenField
        label="Start counting after"
        hint="Events are counted only after one of these events."
        tokens={trigger.after ?? []}
        suggestions={names}
        error={errorAt('after')}
        onChange={(after) => set({ after })}
      />
      <TokenField
        label="Count separately by"
        hint="Labels. Events with different label values are counted separately."
        tokens={trigger.for_each ?? []}
        suggestions={[{ value: 'prefect.resource.id' }]}
        error={errorAt('for_each')}
        onChange={(for_each) => set({ for_each })}
      />
    </div>
  )
}

/** Includes empty specifications while they are edited. */
const relatedSpecs = (trigger: EventTriggerDraft) => (Array.isArray(trigger.match_related) ? trigger.match_related : nonEmptyRelated(trigger))

const days = 7

/** One week before the first render, shared by all fields. */
function useSince(): string {
  const [since] = useState(() => new Date(Math.floor(now() / 3_600_000) * 3_600_000 - days * 86_400_000).toISOString())
  return since
}

const formatOccurrences = (count: number): string => `${count.toLocaleString()} in ${days} days`

/** Recent event names, most frequent first. */
function useEventNameSuggestions(): Suggestion[] | undefined {
  const { data } = useQuery(eventCountsQuery('event', { filter: { occurred: { since: useSince() } } }))
  return data?.map(({ value, count }) => ({ value, note: formatOccurrences(count) }))
}

const resourcesMax = 200

function useResourceSuggestions(): Suggestion[] | undefined {
  const { data } = useQuery(eventCountsQuery('resource', { filter: { occurred: { since: useSince() } } }))
  return data?.slice(0, resourcesMax).map(({ value, label }) => ({ value, note: label }))
}
