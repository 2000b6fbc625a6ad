import type { WorkQueueResponse } from '@millrace/contracts/work-queue.ts'
import { useState } from 'react'
import { createQueue, updateQueue } from '../../api/work-queues.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/field.tsx'
import { useAction } from '../use-action.ts'
import { type QueueDraft, toQueueBody, toQueueDraft, validateQueueDraft } from './queue-draft.ts'

interface QueueDialogProps {
  readonly pool: string
  /** The object to edit. Undefined to create one. */
  readonly queue?: WorkQueueResponse
  onClose(): void
  onRenamed?(name: string): unknown
}

/** Mounted only while open, so that its state resets. */
export function QueueDialog({ pool, queue, onClose, onRenamed }: QueueDialogProps) {
  const [draft, setDraft] = useState<QueueDraft>(() => toQueueDraft(queue))
  const [submitted, setSubmitted] = useState(false)
  const { busy, attempt } = useAction('work-queues', 'work-pools')
  const errors = validateQueueDraft(draft)
  const field = (name: keyof QueueDraft) => ({
    value: draft[name],
    error: submitted ? errors[name] : undefined,
    onChange: (event: { target: { value: string } }) => setDraft({ ...draft, [name]: event.target.value }),
  })
  const submit = async () => {
    setSubmitted(true)
    if (Object.keys(errors).length > 0) return
    const body = toQueueBody(draft)
    const goesOn = queue !== undefined && body.name !== queue.name && onRenamed !== undefined
    const save = async () => {
      if (queue) await updateQueue(pool, queue.name, body)
      else await createQueue(pool, body)
      if (goesOn) await onRenamed(body.name)
      return queue ? `Saved ${body.name}` : `Created ${body.name}`
    }
    const done = await attempt(save, goesOn ? queue.name : undefined)
    if (done && !goesOn) onClose()
  }
  return (
    <Dialog
      open
      onClose={onClose}
      title={queue ? `Edit ${queue.name}` : 'New queue'}
      description={`in ${pool}`}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" type="submit" form="queue" busy={busy}>
            {queue ? 'Save' : 'Create'}
          </Button>
        </>
      }
    >
      <form
        id="queue"
        noValidate
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          void submit()
        }}
      >
        <TextField label="Name" required {...field('name')} />
        <TextField label="Description" {...field('description')} />
        <div className="grid gap-4 sm:grid-cols-2">
          <TextField label="Priority" hint="1 is the highest priority" inputMode="numeric" {...field('priority')} />
          <TextField label="Concurrency limit" hint="Leave empty for no limit" inputMode="numeric" {...field('limit')} />
        </div>
      </form>
    </Dialog>
  )
}
