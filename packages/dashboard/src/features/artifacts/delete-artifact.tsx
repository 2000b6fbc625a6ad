import type { Artifact } from '@millrace/contracts/artifact.ts'
import { useState } from 'react'
import { deleteArtifact } from '../../api/artifacts.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { useAction } from '../use-action.ts'

interface DeleteArtifactProps {
  readonly artifact: Pick<Artifact, 'id' | 'key' | 'type'>
  /** Where to go when it is gone. */
  onDeleted(): Promise<void>
}

/** Asks first: an artifact cannot be made again from here. */
export function DeleteArtifact({ artifact, onDeleted }: DeleteArtifactProps) {
  const { busy, attempt } = useAction('artifacts')
  const [asking, setAsking] = useState(false)
  const name = artifact.key ?? artifact.type ?? 'the artifact'
  const remove = () =>
    attempt(async () => {
      await deleteArtifact(artifact.id)
      setAsking(false)
      // First away from it: what is shown is asked for again, and it is not there any more.
      await onDeleted()
      return `Deleted ${name}`
    }, artifact.id)
  return (
    <>
      <Button icon="trash" variant="danger" onClick={() => setAsking(true)}>
        Delete
      </Button>
      <Dialog
        open={asking}
        onClose={() => setAsking(false)}
        title={`Delete ${name}?`}
        description="This version is deleted permanently. Other versions are kept."
        actions={
          <>
            <Button onClick={() => setAsking(false)}>Cancel</Button>
            <Button variant="danger" icon="trash" busy={busy} onClick={() => void remove()}>
              Delete
            </Button>
          </>
        }
      >
        <p className="text-soft">
          Version <code className="font-mono text-sm">{artifact.id}</code>
        </p>
      </Dialog>
    </>
  )
}
