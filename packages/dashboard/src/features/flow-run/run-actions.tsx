import type { FlowRunResponse } from '@millrace/contracts/flow-run.ts'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { apiUrl } from '../../api/client.ts'
import { deleteFlowRuns, flowRunsQuery } from '../../api/flow-runs.ts'
import { describeError } from '../../api/problem.ts'
import { Button } from '../../ui/button.tsx'
import { now } from '../../ui/clock.ts'
import { copyText } from '../../ui/copy-text.ts'
import { Menu, MenuItem, MenuLine } from '../../ui/menu.tsx'
import { say, sayUndoable } from '../../ui/toast.tsx'
import { cancelled, type Deed, retried, suspended } from '../flow-runs/deeds.ts'
import { proposeForAll } from '../flow-runs/propose-for-all.ts'
import { SetStateDialog } from '../flow-runs/set-state-dialog.tsx'
import { runAsCurl } from './as-curl.ts'
import { possibleDeeds } from './possible-deeds.ts'
import { previousRunFilter } from './previous-run.ts'

/** What can be done to the run in the state it is in. */
export function RunActions({ run }: { readonly run: FlowRunResponse }) {
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const [busy, setBusy] = useState(false)
  const [choosing, setChoosing] = useState(false)
  const can = possibleDeeds(run.state_type)

  const propose = async (deed: Deed, force = false) => {
    setBusy(true)
    await proposeForAll([run.id], deed, force)
    await queryClient.invalidateQueries({ queryKey: ['flow-runs'] })
    setBusy(false)
  }
  const copy = async (text: string, said: string) => {
    await copyText(text)
    say(said)
  }
  const compare = async () => {
    try {
      const [previous] = await queryClient.fetchQuery(flowRunsQuery(previousRunFilter(run)))
      if (previous) await navigate({ to: '/runs/compare', search: { a: previous.id, b: run.id } })
      else say('It has no run before it', { tone: 'plain' })
    } catch (error) {
      const { title, detail } = describeError(error)
      say(title, { tone: 'bad', detail: detail ?? '' })
    }
  }
  const remove = () => {
    void navigate({ to: '/runs' })
    sayUndoable(`Deleting ${run.name}`, {
      commit: () =>
        void deleteFlowRuns([run.id]).then(
          () => queryClient.invalidateQueries({ queryKey: ['flow-runs'] }),
          (error: Error) => say('Could not delete', { tone: 'bad', detail: error.message }),
        ),
      revert: () => void navigate({ to: '/runs/flow-run/$id', params: { id: run.id } }),
    })
  }

  return (
    <>
      {can.retry && (
        <Button icon="retry" look="primary" busy={busy} onClick={() => void propose(retried)}>
          Retry
        </Button>
      )}
      {can.cancel && (
        <Button icon="stop" busy={busy} onClick={() => void propose(cancelled)}>
          Cancel
        </Button>
      )}
      <Menu trigger={<Button icon="more" aria-label="More" />}>
        {can.suspend && (
          <MenuItem icon="pause" onSelect={() => void propose(suspended(now()))}>
            Suspend
          </MenuItem>
        )}
        <MenuItem onSelect={() => setChoosing(true)}>Set state…</MenuItem>
        <MenuItem onSelect={() => void compare()}>Compare with the run before</MenuItem>
        <MenuLine />
        <MenuItem icon="copy" onSelect={() => void copy(run.id, 'Copied the id')}>
          Copy id
        </MenuItem>
        <MenuItem icon="copy" onSelect={() => void copy(runAsCurl(run, new URL(apiUrl(''), location.href).href), 'Copied as curl')}>
          Copy as curl
        </MenuItem>
        <MenuLine />
        <MenuItem icon="trash" danger onSelect={remove}>
          Delete
        </MenuItem>
      </Menu>
      <SetStateDialog
        open={choosing}
        count={1}
        onClose={() => setChoosing(false)}
        onChoose={(state, force) => void propose({ state, done: `set to ${state.name}` }, force)}
      />
    </>
  )
}
