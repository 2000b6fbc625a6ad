import type { DeploymentResponse } from '@millrace/contracts/deployment.ts'
import { Icon } from '../../ui/icon.tsx'

/** Whether a worker or process would pick up its runs now. */
export function DeploymentStatus({ deployment }: { readonly deployment: Pick<DeploymentResponse, 'paused' | 'status'> }) {
  if (deployment.paused) {
    return (
      <span className="inline-flex items-center gap-1.5 font-medium text-warning">
        <Icon name="pause" size={14} />
        Paused
      </span>
    )
  }
  return deployment.status === 'READY' ? (
    <span className="inline-flex items-center gap-1.5 font-medium text-good">
      <Icon name="check" size={14} />
      Ready
    </span>
  ) : (
    <span className="inline-flex items-center gap-1.5 whitespace-nowrap font-medium text-faint">
      <Icon name="minus" size={14} />
      Not ready
    </span>
  )
}
