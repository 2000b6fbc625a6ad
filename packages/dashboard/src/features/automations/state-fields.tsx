import { stateTypeName, stateTypes } from '@millrace/client/vocabulary/states.ts'
import type { StateType } from '@millrace/contracts/state.ts'
import { SelectField, Switch, TextField } from '../../ui/field.tsx'
import type { ActionDraft } from './action-kinds.ts'

type ChangeState = Extract<ActionDraft, { state: StateType }>

interface StateFieldsProps {
  readonly action: ChangeState
  errorAt(field: string): string | undefined
  onChange(change: Partial<ChangeState>): void
}

export function StateFields({ action, errorAt, onChange }: StateFieldsProps) {
  return (
    <>
      <div className="grid gap-4 sm:grid-cols-2">
        <SelectField
          label="State"
          value={action.state}
          options={stateTypes.map((value) => ({ value, label: stateTypeName(value) }))}
          error={errorAt('state')}
          onChange={(event) => onChange({ state: event.target.value as StateType })}
        />
        <TextField
          label="Name"
          hint="Optional. Defaults to the state type."
          value={action.name ?? ''}
          error={errorAt('name')}
          onChange={(event) => onChange({ name: event.target.value || null })}
        />
      </div>
      <TextField
        label="Message"
        value={action.message ?? ''}
        error={errorAt('message')}
        onChange={(event) => onChange({ message: event.target.value || null })}
      />
      <Switch
        label="Force"
        hint="Set the state even if orchestration rules would reject it."
        checked={action.force ?? false}
        onChange={(force) => onChange({ force })}
      />
    </>
  )
}
