import type { Variable } from '@millrace/contracts/variable.ts'
import { useState } from 'react'
import { createVariable, updateVariable } from '../../api/variables.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/field.tsx'
import { TagsField } from '../../ui/tags.tsx'
import { isUnparsedInput } from '../schema-form/field-kind.ts'
import { JsonField } from '../schema-form/json-field.tsx'
import { useAction } from '../use-action.ts'
import { nameError, valueError } from './validate-variable.ts'

interface VariableDialogProps {
  /** Variable to edit. Undefined for a new one. */
  readonly variable?: Variable
  onClose(): void
}

/** Mounted only while open, so that its state resets. */
export function VariableDialog({ variable, onClose }: VariableDialogProps) {
  const [name, setName] = useState(variable?.name ?? '')
  const [value, setValue] = useState<unknown>(variable?.value)
  const [tags, setTags] = useState<readonly string[]>(variable?.tags ?? [])
  const [submitted, setSubmitted] = useState(false)
  const { busy, attempt } = useAction('variables')
  const errors = { name: nameError(name), value: valueError(value) }
  const save = async () => {
    setSubmitted(true)
    if (errors.name || errors.value) return
    const body = { name: name.trim(), value, tags: [...tags] }
    const done = await attempt(async () => {
      if (variable) await updateVariable(variable.id, body)
      else await createVariable(body)
      return variable ? `Saved ${body.name}` : `Created ${body.name}`
    })
    if (done) onClose()
  }
  return (
    <Dialog
      open
      onClose={onClose}
      title={variable ? `Edit ${variable.name}` : 'New variable'}
      description="Flows read the variable by name at run time. Store secrets in a block instead."
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" type="submit" form="variable" busy={busy}>
            {variable ? 'Save' : 'Create'}
          </Button>
        </>
      }
    >
      <form
        id="variable"
        noValidate
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          void save()
        }}
      >
        <TextField
          label="Name"
          hint="Lowercase letters, digits, _ and -"
          required
          spellCheck={false}
          value={name}
          error={submitted ? errors.name : undefined}
          onChange={(event) => setName(event.target.value)}
        />
        <JsonField
          label="Value"
          hint={'JSON: "a text" in quotes, 42, true, [1, 2], {"a": 1}'}
          required
          error={submitted || isUnparsedInput(value) ? errors.value : undefined}
          value={value}
          onChange={setValue}
        />
        <TagsField label="Tags" tags={tags} onChange={setTags} />
      </form>
    </Dialog>
  )
}
