import type { TriggerGroupDraft } from '@millrace/client/vocabulary/event-trigger.ts'
import { defaultStatus, toEventTrigger } from '@millrace/client/vocabulary/status-trigger.ts'
import type { ComponentType } from 'react'
import { Button } from '../../ui/button.tsx'
import { SelectField, Switch, TextField } from '../../ui/field.tsx'
import { DurationField } from './duration-field.tsx'
import type { TriggerEditorProps } from './trigger-draft.ts'
import { useRowKeys } from './use-row-keys.ts'

interface GroupFieldsProps {
  readonly trigger: TriggerGroupDraft
  readonly path: string
  readonly errors: Readonly<Record<string, string>>
  onChange(trigger: TriggerGroupDraft): void
  /** Editor of a nested trigger, which may be a group itself. */
  readonly Inner: ComponentType<TriggerEditorProps>
}

const defaultSeconds = 3600

/** Fields of a compound or sequence trigger. */
export function GroupFields({ trigger, path, errors, onChange, Inner }: GroupFieldsProps) {
  const { triggers, within } = trigger
  const rows = useRowKeys(triggers.length)
  return (
    <div className="flex flex-col gap-4">
      {trigger.type === 'compound' && 'require' in trigger && (
        <div className="flex flex-wrap gap-4">
          <SelectField
            label="Required triggers"
            value={typeof trigger.require === 'number' ? 'some' : trigger.require}
            options={[
              { value: 'all', label: 'All of them' },
              { value: 'any', label: 'Any of them' },
              { value: 'some', label: 'Some of them' },
            ]}
            error={errors[`${path}.require`]}
            onChange={(event) => onChange({ ...trigger, require: event.target.value === 'some' ? 1 : (event.target.value as 'all' | 'any') })}
          />
          {typeof trigger.require === 'number' && (
            <div className="w-24">
              <TextField
                label="Number of triggers"
                type="number"
                min={1}
                value={String(trigger.require)}
                error={errors[`${path}.require`]}
                onChange={(event) => onChange({ ...trigger, require: Math.max(1, Math.trunc(Number(event.target.value))) })}
              />
            </div>
          )}
        </div>
      )}
      <Switch
        label="Limit the time between triggers"
        hint="Without a limit, triggers count no matter how far apart they fire."
        checked={within !== null}
        onChange={(limited) => onChange({ ...trigger, within: limited ? defaultSeconds : null })}
      />
      {within !== null && (
        <DurationField
          label="Within"
          seconds={within}
          error={errors[`${path}.within`]}
          onChange={(seconds) => onChange({ ...trigger, within: seconds })}
        />
      )}
      <ol className="flex flex-col gap-3">
        {triggers.map((inner, index) => (
          <li key={rows.keys[index]} className="rounded-md border border-line bg-paper/50 p-3">
            <Inner
              trigger={inner}
              path={`${path}.triggers.${index}`}
              errors={errors}
              onChange={(next) => onChange({ ...trigger, triggers: triggers.map((each, place) => (place === index ? next : each)) })}
              onRemove={() => {
                rows.removed(index)
                onChange({ ...trigger, triggers: triggers.filter((_, position) => position !== index) })
              }}
            />
          </li>
        ))}
      </ol>
      <Button
        icon="plus"
        className="self-start"
        onClick={() => onChange({ ...trigger, triggers: [...triggers, toEventTrigger(defaultStatus('flow-run'))] })}
      >
        Add trigger
      </Button>
    </div>
  )
}
