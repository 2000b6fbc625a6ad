import { isTriggerGroup, type TriggerDraft } from '@millrace/client/vocabulary/event-trigger.ts'
import { defaultStatus, isStatusKind, statusKinds, toEventTrigger, toStatusTrigger } from '@millrace/client/vocabulary/status-trigger.ts'
import { useState } from 'react'
import { Button, IconButton } from '../../ui/button.tsx'
import { SelectField } from '../../ui/field.tsx'
import { EventFields } from './event-fields.tsx'
import { GroupFields } from './group-fields.tsx'
import { StatusFields } from './status-fields.tsx'
import { emptyEventTrigger, type TriggerEditorProps } from './trigger-draft.ts'

type TriggerKind = keyof typeof statusKinds | 'event' | 'compound' | 'sequence'

const kindOptions = [
  ...Object.entries(statusKinds).map(([value, { label }]) => ({ value, label })),
  { value: 'event', label: 'Any event' },
  { value: 'compound', label: 'Compound trigger' },
  { value: 'sequence', label: 'Sequence of triggers' },
]

const groupSeconds = 3600

function changeTriggerKind(kind: TriggerKind, from: TriggerDraft): TriggerDraft {
  if (isStatusKind(kind)) return toEventTrigger(defaultStatus(kind))
  if (kind === 'event') return isTriggerGroup(from) ? emptyEventTrigger() : from
  const triggers = isTriggerGroup(from) ? from.triggers : [from, emptyEventTrigger()]
  const within = isTriggerGroup(from) ? from.within : groupSeconds
  return kind === 'compound' ? { type: 'compound', triggers, within, require: 'all' } : { type: 'sequence', triggers, within }
}

/** Editor of any trigger. A trigger with fields that its simple form lacks opens as an event trigger, so that nothing is lost. */
export function TriggerEditor({ trigger, path, errors, onChange, onRemove }: TriggerEditorProps) {
  const [asEvent, setAsEvent] = useState(false)
  const status = isTriggerGroup(trigger) || asEvent ? undefined : toStatusTrigger(trigger)
  const kind: TriggerKind = isTriggerGroup(trigger) ? (trigger.type ?? 'compound') : (status?.kind ?? 'event')
  const errorAt = (field: string) => errors[`${path}.${field}`]
  const choose = (next: TriggerKind) => {
    setAsEvent(next === 'event')
    onChange(changeTriggerKind(next, trigger))
  }
  return (
    <div className="flex flex-col gap-4">
      <div className="flex items-end gap-2">
        <div className="min-w-0 flex-1">
          <SelectField label="Trigger on" value={kind} options={kindOptions} onChange={(event) => choose(event.target.value as TriggerKind)} />
        </div>
        {status && (
          <Button variant="quiet" onClick={() => setAsEvent(true)}>
            All fields
          </Button>
        )}
        {onRemove && <IconButton icon="trash" label="Remove trigger" onClick={onRemove} />}
      </div>
      {errors[path] && <p className="text-danger text-sm">{errors[path]}</p>}
      {isTriggerGroup(trigger) ? (
        <GroupFields trigger={trigger} path={path} errors={errors} onChange={onChange} Inner={TriggerEditor} />
      ) : status ? (
        <StatusFields status={status} onChange={onChange} errorAt={errorAt} />
      ) : (
        <EventFields trigger={trigger} onChange={onChange} errorAt={errorAt} />
      )}
    </div>
  )
}
