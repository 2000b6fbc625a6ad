import type { WorkQueueResponse } from '@millrace/contracts/work-queue.ts'
import { Icon, type IconName } from '../../ui/icon.tsx'

const looks: Record<NonNullable<WorkQueueResponse['status']>, { readonly word: string; readonly icon: IconName; readonly colour: string }> = {
  READY: { word: 'Ready', icon: 'check', colour: 'text-good' },
  NOT_READY: { word: 'Not polled', icon: 'minus', colour: 'text-faint' },
  PAUSED: { word: 'Paused', icon: 'pause', colour: 'text-warning' },
}

/** Whether workers poll the queue. */
export function QueueStatus({ queue }: { readonly queue: Pick<WorkQueueResponse, 'status' | 'is_paused'> }) {
  const { word, icon, colour } = looks[queue.is_paused ? 'PAUSED' : (queue.status ?? 'NOT_READY')]
  return (
    <span className={`inline-flex items-center gap-1.5 whitespace-nowrap font-medium ${colour}`}>
      <Icon name={icon} size={14} />
      {word}
    </span>
  )
}
