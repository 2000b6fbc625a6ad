import { useState } from 'react'
import { Button, IconButton } from '../../ui/button.tsx'
import { SelectField } from '../../ui/field.tsx'
import { EventFields } from './event-fields.tsx'
import { GroupFields } from './group-fields.tsx'
import { StatusFields } from './status-fields.tsx'
import { blankStatus, isStatusKind, readStatus, statusKinds, writeStatus } from './status-trigger.ts'
import { blankEvent, isGroup, type TriggerDraft } from './trigger-draft.ts'
import type { TriggerEditorProps } from './trigger-editor-props.ts'

type TriggerKind = keyof typeof statusKinds | 'event' | 'compound' | 'sequence'

const kindOptions = [
  ...Object.entries(statusKinds).map(([value, { label }]) => ({ value, label })),
  { value: 'event', label: 'Any event' },
  { value: 'compound', label: 'Several triggers together' },
  { value: 'sequence', label: 'Several triggers in order' },
]

const groupSeconds = 3600

function triggerOf(kind: TriggerKind, from: TriggerDraft): TriggerDraft {
  if (isStatusKind(kind)) return writeStatus(blankStatus(kind))
  if (kind === 'event') return isGroup(from) ? blankEvent() : from
  const triggers = isGroup(from) ? from.triggers : [from, blankEvent()]
  const within = isGroup(from) ? from.within : groupSeconds
  return kind === 'compound' ? { type: 'compound', triggers, within, require: 'all' } : { type: 'sequence', triggers, within }
}

/** A trigger of any kind; what a kind has no field for is never dropped, it is shown as an event like any other. */
export function TriggerEditor({ trigger, at, faults, onChange, onRemove }: TriggerEditorProps) {
  const [asEvent, setAsEvent] = useState(false)
  const status = isGroup(trigger) || asEvent ? undefined : readStatus(trigger)
  const kind: TriggerKind = isGroup(trigger) ? (trigger.type ?? 'compound') : (status?.kind ?? 'event')
  const faultAt = (field: string) => faults[`${at}.${field}`]
  const choose = (next: TriggerKind) => {
    setAsEvent(next === 'event')
    onChange(triggerOf(next, trigger))
  }
  return (
    <div className="flex flex-col gap-4">
      <div className="flex items-end gap-2">
        <div className="min-w-0 flex-1">
          <SelectField label="Trigger on" value={kind} options={kindOptions} onChange={(event) => choose(event.target.value as TriggerKind)} />
        </div>
        {status && (
          <Button look="quiet" onClick={() => setAsEvent(true)}>
            All fields
          </Button>
        )}
        {onRemove && <IconButton icon="trash" label="Remove this trigger" onClick={onRemove} />}
      </div>
      {faults[at] && <p className="text-danger text-sm">{faults[at]}</p>}
      {isGroup(trigger) ? (
        <GroupFields trigger={trigger} at={at} faults={faults} onChange={onChange} Inner={TriggerEditor} />
      ) : status ? (
        <StatusFields status={status} onChange={onChange} faultAt={faultAt} />
      ) : (
        <EventFields trigger={trigger} onChange={onChange} faultAt={faultAt} />
      )}
    </div>
  )
}
