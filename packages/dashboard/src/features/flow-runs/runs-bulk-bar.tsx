import { useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { describeError } from '../../api/api-error.ts'
import { deleteFlowRuns } from '../../api/flow-runs.ts'
import { Button, buttonClass, IconButton } from '../../ui/button.tsx'
import { showToast, showUndoableToast } from '../../ui/toast.tsx'
import { proposeState } from './propose-state.ts'
import { SetStateDialog } from './set-state-dialog.tsx'
import { cancelProposal, retryProposal } from './state-proposals.ts'

interface RunsBulkBarProps {
  readonly ids: readonly string[]
  /** How many could be ticked: those that match, as far as lists go. */
  readonly matching: number
  onAll(): Promise<void>
  onDone(): void
}

const formatRunCount = (count: number) => `${count.toLocaleString()} ${count === 1 ? 'run' : 'runs'}`

/** What can be done to all that are ticked. The server's rules judge each on its own, and the ones that it refused are told. */
export function RunsBulkBar({ ids, matching, onAll, onDone }: RunsBulkBarProps) {
  const queryClient = useQueryClient()
  const [busy, setBusy] = useState(false)
  const [choosing, setChoosing] = useState(false)
  if (ids.length === 0) return null

  const propose = async (deed: Parameters<typeof proposeState>[1], force = false) => {
    setBusy(true)
    await proposeState(ids, deed, force)
    setBusy(false)
    onDone()
    await queryClient.invalidateQueries({ queryKey: ['flow-runs'] })
  }
  const selectAll = async () => {
    setBusy(true)
    await onAll().catch((error: unknown) => {
      const { title, detail } = describeError(error)
      showToast(title, { tone: 'bad', detail: detail ?? '' })
    })
    setBusy(false)
  }
  const remove = () => {
    const doomed = [...ids]
    onDone()
    showUndoableToast(`Deleting ${formatRunCount(doomed.length)}`, {
      commit: () =>
        void deleteFlowRuns(doomed).then(
          (deleted) => {
            showToast(`Deleted ${formatRunCount(deleted.length)}`)
            return queryClient.invalidateQueries({ queryKey: ['flow-runs'] })
          },
          (error: Error) => showToast('Runs not deleted', { tone: 'bad', detail: error.message }),
        ),
      revert: () => showToast('Deletion undone', { tone: 'plain' }),
    })
  }

  return (
    <section
      aria-label="Selected runs"
      className="sticky bottom-0 z-20 mx-auto mt-2 flex animate-rise flex-wrap items-center gap-2 rounded-lg bg-surface py-1.5 pr-1.5 pl-4 shadow-pop"
    >
      <span className="font-medium">{formatRunCount(ids.length)}</span>
      {ids.length < matching && (
        <Button variant="quiet" disabled={busy} onClick={() => void selectAll()}>
          Select all {matching.toLocaleString()}
        </Button>
      )}
      {ids.length === 2 && (
        <Link to="/runs/compare" search={{ a: ids[0] as string, b: ids[1] as string }} className={buttonClass()}>
          Compare
        </Link>
      )}
      <Button icon="stop" disabled={busy} onClick={() => void propose(cancelProposal)}>
        Cancel
      </Button>
      <Button icon="retry" disabled={busy} onClick={() => void propose(retryProposal)}>
        Retry
      </Button>
      <Button disabled={busy} onClick={() => setChoosing(true)}>
        Set state…
      </Button>
      <Button icon="trash" variant="danger" disabled={busy} onClick={remove}>
        Delete
      </Button>
      <IconButton icon="cross" label="Clear selection" onClick={onDone} />
      <SetStateDialog
        open={choosing}
        count={ids.length}
        onClose={() => setChoosing(false)}
        onChoose={(state, force) => void propose({ state, outcomeText: `set to ${state.name}` }, force)}
      />
    </section>
  )
}
