import type { GlobalConcurrencyLimitResponse } from '@millrace/contracts/global-concurrency-limit.ts'
import { useState } from 'react'
import { createLimit, createTagLimit, updateLimit } from '../../api/concurrency-limits.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Switch, TextField } from '../../ui/field.tsx'
import { useAction } from '../use-action.ts'
import { type LimitDraft, toLimitBody, toLimitDraft, validateLimitDraft } from './limit-draft.ts'
import { type LimitKind, limitKindOf } from './limits-search.ts'

interface LimitDialogProps {
  /** The object to edit. Undefined to create one. */
  readonly limit?: GlobalConcurrencyLimitResponse
  readonly kind: LimitKind
  onClose(): void
}

/** Mounted only while open, so that its state resets. */
export function LimitDialog({ limit, kind, onClose }: LimitDialogProps) {
  const [draft, setDraft] = useState<LimitDraft>(() => toLimitDraft(limit))
  const [submitted, setSubmitted] = useState(false)
  const { busy, attempt } = useAction('concurrency-limits')
  const isNewTag = limit === undefined && kind === 'tag'
  /** Tag and deployment limits are identified by their names, which cannot change. */
  const isNameFixed = limit !== undefined && limitKindOf(limit) !== 'named'
  const { name: nameError, ...otherFaults } = validateLimitDraft(draft)
  const errors = isNewTag
    ? { ...otherFaults, ...(draft.name.trim() === '' && { name: 'Enter a tag' }) }
    : { ...otherFaults, ...(nameError && { name: nameError }) }
  const field = (name: 'name' | 'limit' | 'decay') => ({
    value: draft[name],
    error: submitted ? errors[name] : undefined,
    onChange: (event: { target: { value: string } }) => setDraft({ ...draft, [name]: event.target.value }),
  })
  const save = async () => {
    setSubmitted(true)
    if (Object.keys(errors).length > 0) return
    const { name, ...body } = toLimitBody(draft)
    const done = await attempt(async () => {
      if (limit) await updateLimit(limit.id, isNameFixed ? body : { name, ...body })
      else if (isNewTag) await createTagLimit(name, body.limit)
      else await createLimit({ name, ...body })
      return limit ? `Saved ${name}` : `Created ${name}`
    })
    if (done) onClose()
  }
  return (
    <Dialog
      open
      onClose={onClose}
      title={limit ? `Edit ${limit.name}` : isNewTag ? 'New tag limit' : 'New limit'}
      description={isNewTag ? 'Caps how many task runs with the tag run at once.' : 'Slots that callers acquire by this name.'}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" type="submit" form="limit" busy={busy}>
            {limit ? 'Save' : 'Create'}
          </Button>
        </>
      }
    >
      <form
        id="limit"
        noValidate
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          void save()
        }}
      >
        {!isNameFixed && <TextField label={isNewTag ? 'Tag' : 'Name'} required {...field('name')} />}
        <TextField label="Slots" hint="Maximum number in use at once" inputMode="numeric" required {...field('limit')} />
        {!isNewTag && (
          <>
            <TextField
              label="Slots released per second"
              hint="For rate limits. Leave empty to release slots when the holder finishes."
              inputMode="decimal"
              {...field('decay')}
            />
            <Switch
              label="Enabled"
              hint="When disabled, slots are not limited."
              checked={draft.active}
              onChange={(active) => setDraft({ ...draft, active })}
            />
          </>
        )}
      </form>
    </Dialog>
  )
}
