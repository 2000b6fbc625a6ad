import type { DeploymentResponse } from '@millrace/contracts/deployment.ts'
import { useState } from 'react'
import { setDeploymentPaused } from '../../api/deployments.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { useAction } from '../use-action.ts'
import { DeleteDeploymentsDialog } from './delete-deployments-dialog.tsx'

interface DeploymentsBulkBarProps {
  readonly deployments: readonly DeploymentResponse[]
  onDone(): void
}

const formatDeploymentCount = (count: number) => `${count} ${count === 1 ? 'deployment' : 'deployments'}`

/** Actions on the selected deployments. */
export function DeploymentsBulkBar({ deployments, onDone }: DeploymentsBulkBarProps) {
  const { busy, attempt } = useAction('deployments', 'flow-runs')
  const [deleting, setDeleting] = useState(false)
  if (deployments.length === 0) return null
  const pause = (paused: boolean) =>
    void attempt(async () => {
      for (const { id } of deployments) await setDeploymentPaused(id, paused)
      onDone()
      return paused ? `Paused ${formatDeploymentCount(deployments.length)}` : `Resumed ${formatDeploymentCount(deployments.length)}`
    })
  return (
    <section
      aria-label="Selected deployments"
      className="sticky bottom-2 z-20 mx-auto mt-2 flex animate-rise flex-wrap items-center gap-2 rounded-lg bg-surface py-1.5 pr-1.5 pl-4 shadow-pop"
    >
      <span className="font-medium">{formatDeploymentCount(deployments.length)}</span>
      <Button icon="pause" disabled={busy} onClick={() => pause(true)}>
        Pause
      </Button>
      <Button icon="play" disabled={busy} onClick={() => pause(false)}>
        Resume
      </Button>
      <Button icon="trash" variant="danger" disabled={busy} onClick={() => setDeleting(true)}>
        Delete
      </Button>
      <IconButton icon="cross" label="Clear selection" onClick={onDone} />
      <DeleteDeploymentsDialog deployments={deleting ? deployments : []} onClose={() => setDeleting(false)} onDeleted={onDone} />
    </section>
  )
}
