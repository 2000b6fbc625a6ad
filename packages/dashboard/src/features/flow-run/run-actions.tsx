import type { FlowRunResponse } from '@millrace/contracts/flow-run.ts'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { client } from '../../api/client.ts'
import { describeError } from '../../api/describe-error.ts'
import type { FlowRunsFilter } from '../../api/flow-runs.ts'
import { deleteFlowRuns, flowRunsQuery } from '../../api/flow-runs.ts'
import { Button } from '../../ui/button.tsx'
import { now } from '../../ui/clock.ts'
import { copyText } from '../../ui/copy-text.ts'
import { Menu, MenuItem, MenuSeparator } from '../../ui/menu.tsx'
import { showToast, showUndoableToast } from '../../ui/toast.tsx'
import { SetStateDialog } from '../flow-runs/set-state-dialog.tsx'
import { cancelProposal, proposeState, retryProposal, type StateProposal, suspendProposal } from '../flow-runs/state-proposals.ts'
import { allowedActions } from './allowed-actions.ts'
import { curlCommand } from './curl-command.ts'

/** Buttons and menu of the actions that the current state allows. */
export function RunActions({ run }: { readonly run: FlowRunResponse }) {
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const [busy, setBusy] = useState(false)
  const [isChoosingState, setChoosingState] = useState(false)
  const allowed = allowedActions(run.state_type)

  const propose = async (proposal: StateProposal, force = false) => {
    setBusy(true)
    await proposeState([run.id], proposal, force)
    await queryClient.invalidateQueries({ queryKey: ['flow-runs'] })
    setBusy(false)
  }
  const copy = async (text: string, message: string) => {
    await copyText(text)
    showToast(message)
  }
  const compare = async () => {
    try {
      const [previous] = await queryClient.fetchQuery(flowRunsQuery(previousRunFilter(run)))
      if (previous) await navigate({ to: '/runs/compare', search: { a: previous.id, b: run.id } })
      else showToast('No previous run', { tone: 'plain' })
    } catch (error) {
      const { title, detail } = describeError(error)
      showToast(title, { tone: 'bad', detail: detail ?? '' })
    }
  }
  const remove = () => {
    void navigate({ to: '/runs' })
    showUndoableToast(`Deleting ${run.name}`, {
      commit: () =>
        void deleteFlowRuns([run.id]).then(
          () => queryClient.invalidateQueries({ queryKey: ['flow-runs'] }),
          (error: Error) => showToast('Run not deleted', { tone: 'bad', detail: error.message }),
        ),
      revert: () => void navigate({ to: '/runs/flow-run/$id', params: { id: run.id } }),
    })
  }

  return (
    <>
      {allowed.retry && (
        <Button icon="retry" variant="primary" busy={busy} onClick={() => void propose(retryProposal)}>
          Retry
        </Button>
      )}
      {allowed.cancel && (
        <Button icon="stop" busy={busy} onClick={() => void propose(cancelProposal)}>
          Cancel
        </Button>
      )}
      <Menu trigger={<Button icon="more" aria-label="More" />}>
        {allowed.suspend && (
          <MenuItem icon="pause" onSelect={() => void propose(suspendProposal(now()))}>
            Suspend
          </MenuItem>
        )}
        <MenuItem onSelect={() => setChoosingState(true)}>Set state…</MenuItem>
        <MenuItem onSelect={() => void compare()}>Compare with previous run</MenuItem>
        <MenuSeparator />
        <MenuItem icon="copy" onSelect={() => void copy(run.id, 'ID copied')}>
          Copy ID
        </MenuItem>
        <MenuItem icon="copy" onSelect={() => void copy(curlCommand(run, client.http.url), 'curl command copied')}>
          Copy as curl
        </MenuItem>
        <MenuSeparator />
        <MenuItem icon="trash" danger onSelect={remove}>
          Delete
        </MenuItem>
      </Menu>
      <SetStateDialog
        open={isChoosingState}
        count={1}
        onClose={() => setChoosingState(false)}
        onChoose={(state, force) => void propose({ state, outcomeText: `set to ${state.name}` }, force)}
      />
    </>
  )
}

/** Finds the previous run of the deployment, or of the flow without a deployment. */
const previousRunFilter = (
  run: Pick<FlowRunResponse, 'id' | 'flow_id' | 'deployment_id' | 'start_time' | 'expected_start_time'>,
): FlowRunsFilter => ({
  flows: { id: { any_: [run.flow_id] } },
  ...(run.deployment_id && { deployments: { id: { any_: [run.deployment_id] } } }),
  flow_runs: { id: { not_any_: [run.id] }, start_time: { before_: run.start_time ?? run.expected_start_time, is_null_: false } },
  sort: 'START_TIME_DESC',
  limit: 1,
})
