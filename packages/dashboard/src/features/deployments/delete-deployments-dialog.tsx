import type { DeploymentResponse } from '@millrace/contracts/deployment.ts'
import { deleteDeployments } from '../../api/deployments.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { useAction } from '../use-action.ts'

interface DeleteDeploymentsDialogProps {
  /** Undefined while the dialog is closed. */
  readonly deployments: readonly Pick<DeploymentResponse, 'id' | 'name'>[]
  onClose(): void
  /** Awaited, so that the page leaves before it requests the deleted object again. */
  onDeleted(): unknown
}

export function DeleteDeploymentsDialog({ deployments, onClose, onDeleted }: DeleteDeploymentsDialogProps) {
  const { attempt } = useAction('deployments', 'flow-runs')
  const what = deployments.length === 1 ? (deployments[0]?.name ?? '') : `${deployments.length} deployments`
  return (
    <ConfirmDialog
      open={deployments.length > 0}
      title={`Delete ${what}?`}
      description={
        <>
          Schedules and runs that have not started are deleted with {deployments.length === 1 ? 'it' : 'them'}. Past runs are kept.
          {deployments.length > 1 && (
            <ul className="mt-2 max-h-40 overflow-y-auto">
              {deployments.map(({ id, name }) => (
                <li key={id} className="font-medium text-ink">
                  {name}
                </li>
              ))}
            </ul>
          )}
        </>
      }
      confirmLabel={deployments.length === 1 ? 'Delete deployment' : 'Delete all'}
      onConfirm={() =>
        attempt(async () => {
          await deleteDeployments(deployments.map(({ id }) => id))
          await onDeleted()
          return `Deleted ${what}`
        })
      }
      onClose={onClose}
    />
  )
}
