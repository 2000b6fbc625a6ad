import type { StateCreate } from '@millrace/contracts/state.ts'
import { type FormEvent, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { SelectField, Switch, TextField } from '../../ui/field.tsx'
import { stateTypeOfChoice } from './runs-search.ts'

const stateNames = ['Completed', 'Failed', 'Cancelled', 'Crashed', 'Scheduled', 'Pending', 'Running', 'Paused']

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
    const name = String(form.get('state'))
    onClose()
    onChoose({ type: stateTypeOfChoice(name), name, message: String(form.get('message')) || 'Set from the dashboard' }, force)
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
        <SelectField label="State" name="state" options={stateNames.map((word) => ({ value: word, label: word }))} />
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
