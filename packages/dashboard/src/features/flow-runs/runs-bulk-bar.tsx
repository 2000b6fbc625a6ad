import { useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { describeError } from '../../api/describe-error.ts'
import { deleteFlowRuns } from '../../api/flow-runs.ts'
import { Button, buttonClass, IconButton } from '../../ui/button.tsx'
import { showToast, showUndoableToast } from '../../ui/toast.tsx'
import { SetStateDialog } from './set-state-dialog.tsx'
import { cancelProposal, proposeState, retryProposal } from './state-proposals.ts'

interface RunsBulkBarProps {
  readonly ids: readonly string[]
  /** Number of matching runs, up to the list limit. */
  readonly matching: number
  onAll(): Promise<void>
  onDone(): void
}

const formatRunCount = (count: number) => `${count.toLocaleString()} ${count === 1 ? 'run' : 'runs'}`

/** Actions on the selected runs. The server applies its rules to each run, and rejected runs are reported. */
export function RunsBulkBar({ ids, matching, onAll, onDone }: RunsBulkBarProps) {
  const queryClient = useQueryClient()
  const [busy, setBusy] = useState(false)
  const [isChoosingState, setChoosingState] = useState(false)
  if (ids.length === 0) return null

  const propose = async (proposal: Parameters<typeof proposeState>[1], force = false) => {
    setBusy(true)
    await proposeState(ids, proposal, force)
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
    const deleting = [...ids]
    onDone()
    showUndoableToast(`Deleting ${formatRunCount(deleting.length)}`, {
      commit: () =>
        void deleteFlowRuns(deleting).then(
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
      <Button disabled={busy} onClick={() => setChoosingState(true)}>
        Set state…
      </Button>
      <Button icon="trash" variant="danger" disabled={busy} onClick={remove}>
        Delete
      </Button>
      <IconButton icon="cross" label="Clear selection" onClick={onDone} />
      <SetStateDialog
        open={isChoosingState}
        count={ids.length}
        onClose={() => setChoosingState(false)}
        onChoose={(state, force) => void propose({ state, outcomeText: `set to ${state.name}` }, force)}
      />
    </section>
  )
}
