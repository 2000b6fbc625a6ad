import type { Flow } from '@millrace/contracts/flow.ts'
import { useQuery } from '@tanstack/react-query'
import { flowRunCountQuery } from '../../api/flow-runs.ts'
import { deleteFlow, deploymentCountsQuery } from '../../api/flows.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { useAction } from '../use-action.ts'

interface DeleteFlowDialogProps {
  /** None while nothing is to be deleted. */
  readonly flow: Flow | undefined
  onClose(): void
  /** Waited for: a page that is left does not ask for what is gone. */
  onDeleted?(): unknown
}

export function DeleteFlowDialog({ flow, onClose, onDeleted }: DeleteFlowDialogProps) {
  const { attempt } = useAction('flows', 'deployments', 'flow-runs')
  const asked = { enabled: flow !== undefined }
  const runs = useQuery({ ...flowRunCountQuery({ flows: { id: { any_: [flow?.id ?? ''] } } }), ...asked })
  const deployments = useQuery({ ...deploymentCountsQuery([flow?.id ?? '']), ...asked })
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
