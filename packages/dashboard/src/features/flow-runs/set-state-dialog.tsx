import { settableTypes, stateTypeName } from '@millrace/client/vocabulary/states.ts'
import type { StateCreate, StateType } from '@millrace/contracts/state.ts'
import { type FormEvent, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { SelectField, Switch, TextField } from '../../ui/field.tsx'

interface SetStateDialogProps {
  readonly open: boolean
  readonly count: number
  onClose(): void
  onChoose(state: StateCreate, force: boolean): void
}

/** Proposes a state that the user selects. */
export function SetStateDialog({ open, count, onClose, onChoose }: SetStateDialogProps) {
  const [force, setForce] = useState(false)
  const choose = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const type = String(form.get('state')) as StateType
    onClose()
    onChoose({ type, name: stateTypeName(type), message: String(form.get('message')) || 'Set from the dashboard' }, force)
  }
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title={count === 1 ? 'Set state' : `Set the state of ${count} runs`}
      description="Orchestration rules may change or reject the state."
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" type="submit" form="set-state">
            Set state
          </Button>
        </>
      }
    >
      <form id="set-state" onSubmit={choose} className="flex flex-col gap-4">
        <SelectField label="State" name="state" options={settableTypes.map((value) => ({ value, label: stateTypeName(value) }))} />
        <TextField label="Message" name="message" placeholder="Set from the dashboard" />
        <Switch
          label="Force"
          hint="Bypass orchestration rules. Concurrency slots and schedules are not enforced."
          checked={force}
          onChange={setForce}
        />
      </form>
    </Dialog>
  )
}
