import type { Artifact } from '@millrace/contracts/artifact.ts'
import { useState } from 'react'
import { deleteArtifact } from '../../api/artifacts.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { useAction } from '../use-action.ts'

interface DeleteArtifactProps {
  readonly artifact: Pick<Artifact, 'id' | 'key' | 'type'>
  /** Leaves the page of the deleted artifact. */
  onDeleted(): Promise<void>
}

/** Deletes an artifact after confirmation. */
export function DeleteArtifact({ artifact, onDeleted }: DeleteArtifactProps) {
  const { busy, attempt } = useAction('artifacts')
  const [asking, setAsking] = useState(false)
  const name = artifact.key ?? artifact.type ?? 'the artifact'
  const remove = () =>
    attempt(async () => {
      await deleteArtifact(artifact.id)
      setAsking(false)
      // Leave the page first: its queries refetch, and the artifact no longer exists.
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
