import type { DeploymentResponse } from '@millrace/contracts/deployment.ts'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { runDeployment, setDeploymentPaused } from '../../api/deployments.ts'
import { flowQuery } from '../../api/flows.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { copyText } from '../../ui/copy-text.ts'
import { Menu, MenuItem, MenuSeparator } from '../../ui/menu.tsx'
import { showToast } from '../../ui/toast.tsx'
import { CreateAutomationItem } from '../automations/create-automation-item.tsx'
import { useAction } from '../use-action.ts'
import { DeleteDeploymentsDialog } from './delete-deployments-dialog.tsx'

/** Actions of a deployment. */
export function DeploymentActions({ deployment }: { readonly deployment: DeploymentResponse }) {
  const { id, name, paused } = deployment
  const { busy, attempt } = useAction('deployments', 'flow-runs')
  const navigate = useNavigate()
  const flow = useQuery(flowQuery(deployment.flow_id))
  const [deleting, setDeleting] = useState(false)
  const run = () =>
    attempt(async () => {
      const made = await runDeployment(id)
      await navigate({ to: '/runs/flow-run/$id', params: { id: made.id } })
      return `${made.name} is scheduled`
    })
  const pause = () =>
    attempt(async () => {
      await setDeploymentPaused(id, !paused)
      return paused ? 'Schedules resumed' : 'Schedules paused'
    })
  const copy = async (text: string, message: string) => {
    await copyText(text)
    showToast(message)
  }
  return (
    <>
      <Button icon={paused ? 'play' : 'pause'} disabled={busy} onClick={() => void pause()}>
        {paused ? 'Resume' : 'Pause'}
      </Button>
      <Link to="/deployments/deployment/$id/run" params={{ id }} className={buttonClass('plain')}>
        Custom run…
      </Link>
      <Button variant="primary" icon="play" disabled={busy} onClick={() => void run()}>
        Run
      </Button>
      <Menu trigger={<Button icon="more" aria-label="More" />}>
        <MenuItem icon="edit" onSelect={() => void navigate({ to: '/deployments/deployment/$id/edit', params: { id } })}>
          Edit
        </MenuItem>
        <MenuItem icon="duplicate" onSelect={() => void navigate({ to: '/deployments/deployment/$id/duplicate', params: { id } })}>
          Duplicate
        </MenuItem>
        <CreateAutomationItem kind="deployment" id={id} />
        <MenuSeparator />
        <MenuItem icon="copy" onSelect={() => void copy(id, 'ID copied')}>
          Copy ID
        </MenuItem>
        <MenuItem icon="copy" onSelect={() => void copy(`prefect deployment run '${flow.data?.name ?? ''}/${name}'`, 'Command copied')}>
          Copy run command
        </MenuItem>
        <MenuSeparator />
        <MenuItem icon="trash" danger onSelect={() => setDeleting(true)}>
          Delete…
        </MenuItem>
      </Menu>
      <DeleteDeploymentsDialog
        deployments={deleting ? [deployment] : []}
        onClose={() => setDeleting(false)}
        onDeleted={() => navigate({ to: '/deployments' })}
      />
    </>
  )
}
