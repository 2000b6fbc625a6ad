import type { Flow } from '@millrace/contracts/flow.ts'
import { useQuery } from '@tanstack/react-query'
import { flowRunCountQuery } from '../../api/flow-runs.ts'
import { deleteFlow, deploymentCountsQuery } from '../../api/flows.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { useAction } from '../use-action.ts'

interface DeleteFlowDialogProps {
  /** Undefined while the dialog is closed. */
  readonly flow: Flow | undefined
  onClose(): void
  /** Awaited, so that the page leaves before it requests the deleted object again. */
  onDeleted?(): unknown
}

export function DeleteFlowDialog({ flow, onClose, onDeleted }: DeleteFlowDialogProps) {
  const { attempt } = useAction('flows', 'deployments', 'flow-runs')
  const whenOpen = { enabled: flow !== undefined }
  const runs = useQuery({ ...flowRunCountQuery({ flows: { id: { any_: [flow?.id ?? ''] } } }), ...whenOpen })
  const deployments = useQuery({ ...deploymentCountsQuery([flow?.id ?? '']), ...whenOpen })
  const remove = () =>
    attempt(async () => {
      if (!flow) return undefined
      await deleteFlow(flow.id)
      await onDeleted?.()
      return `Deleted ${flow.name}`
    })
  return (
    <ConfirmDialog
      open={flow !== undefined}
      title={`Delete ${flow?.name ?? ''}?`}
      description={`This also deletes its ${formatCount(deployments.data?.[flow?.id ?? ''], 'deployment')} and ${formatCount(runs.data, 'run')}. The flow is created again when it next runs.`}
      confirmLabel="Delete flow"
      onConfirm={remove}
      onClose={onClose}
    />
  )
}

const formatCount = (count: number | undefined, noun: string): string =>
  count === undefined ? `${noun}s` : `${count.toLocaleString()} ${count === 1 ? noun : `${noun}s`}`
