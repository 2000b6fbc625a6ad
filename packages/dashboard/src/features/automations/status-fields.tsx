import type { EventTriggerDraft } from '@millrace/client/vocabulary/event-trigger.ts'
import { formatStateName, type StatusTrigger, statusKinds, toEventTrigger } from '@millrace/client/vocabulary/status-trigger.ts'
import { TextField } from '../../ui/field.tsx'
import { SegmentedControl } from '../../ui/segmented-control.tsx'
import { parseResourceId } from '../events/resource.ts'
import { DurationField } from './duration-field.tsx'
import { ResourcesField } from './resources-field.tsx'
import { TokenField } from './token-field.tsx'

interface StatusFieldsProps {
  readonly status: StatusTrigger
  onChange(trigger: EventTriggerDraft): void
  errorAt(field: string): string | undefined
}

const staysDefaultSeconds = 300

/** Fields of a trigger on the state of runs, deployments, pools or queues. */
export function StatusFields({ status, onChange, errorAt }: StatusFieldsProps) {
  const { kind, states, stays, seconds, times, resourceIds: things, related } = status
  const set = (change: Partial<StatusTrigger>) => onChange(toEventTrigger({ ...status, ...change }))
  const relate = (role: string, ids: string[]) => set({ related: { ...related, [role]: ids } })
  return (
    <div className="flex flex-col gap-4">
      {kind === 'flow-run' ? (
        <>
          <ResourcesField
            label="Flows"
            hint="Leave empty for any flow."
            kind="flow"
            ids={related.flow ?? []}
            onChange={(ids) => relate('flow', ids)}
          />
          <ResourcesField
            label="Deployments"
            hint="Leave empty for any deployment, or none."
            kind="deployment"
            ids={related.deployment ?? []}
            onChange={(ids) => relate('deployment', ids)}
          />
          <TokenField
            label="Tags (any of)"
            tokens={related.tag ?? []}
            format={(tag) => parseResourceId(tag).key}
            placeholder="prod"
            onChange={(tags) =>
              relate(
                'tag',
                tags.map((tag) => (tag.startsWith('prefect.tag.') ? tag : `prefect.tag.${tag}`)),
              )
            }
          />
        </>
      ) : (
        <ResourcesField
          label={`These ${kind === 'deployment' ? 'deployments' : kind === 'work-pool' ? 'work pools' : 'work queues'}`}
          hint="Leave empty for any."
          kind={kind}
          ids={things}
          onChange={(ids) => set({ resourceIds: ids })}
        />
      )}
      <div className="flex flex-col items-start gap-2">
        <SegmentedControl
          label="When"
          value={stays ? 'stays' : 'enters'}
          options={[
            { value: 'enters', label: kind === 'flow-run' ? 'Enters' : 'Becomes' },
            { value: 'stays', label: kind === 'flow-run' ? 'Stays in' : 'Stays' },
          ]}
          onChange={(mode) => set({ stays: mode === 'stays', seconds: mode === 'stays' ? seconds || staysDefaultSeconds : 0, times: 1 })}
        />
        <fieldset className="flex flex-wrap gap-x-4 gap-y-1.5">
          <legend className="sr-only">States</legend>
          {statusKinds[kind].states.map((state) => (
            <label key={state} className="flex min-h-7 items-center gap-1.5">
              <input
                type="checkbox"
                className="check"
                checked={states.includes(state)}
                onChange={(event) => set({ states: event.target.checked ? [...states, state] : states.filter((each) => each !== state) })}
              />
              {formatStateName(state)}
            </label>
          ))}
        </fieldset>
        {states.length === 0 && (
          <p className="text-danger text-sm">Select at least one state. Without one, every event of this kind fires the trigger.</p>
        )}
      </div>
      {stays ? (
        <DurationField
          label="For"
          hint="Fires when no other event follows within this time."
          seconds={seconds}
          error={errorAt('within')}
          onChange={(next) => set({ seconds: next })}
        />
      ) : (
        <div className="flex flex-wrap gap-4">
          <div className="w-28">
            <TextField
              label="Times"
              type="number"
              min={1}
              value={String(times)}
              error={errorAt('threshold')}
              onChange={(event) => set({ times: Math.max(1, Math.trunc(Number(event.target.value))) })}
            />
          </div>
          {times > 1 && (
            <DurationField
              label="Within"
              hint="0 means no time limit."
              seconds={seconds}
              error={errorAt('within')}
              onChange={(next) => set({ seconds: next })}
            />
          )}
        </div>
      )}
    </div>
  )
}
