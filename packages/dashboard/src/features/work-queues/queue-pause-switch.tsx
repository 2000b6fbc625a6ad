import type { WorkQueueResponse } from '@millrace/contracts/work-queue.ts'
import { updateQueue } from '../../api/work-queues.ts'
import { RowSwitch } from '../../ui/row-switch.tsx'
import { useAction } from '../use-action.ts'

interface QueuePauseSwitchProps {
  readonly pool: string
  readonly queue: Pick<WorkQueueResponse, 'name' | 'is_paused'>
}

export function QueuePauseSwitch({ pool, queue }: QueuePauseSwitchProps) {
  const { busy, attempt } = useAction('work-queues')
  return (
    <RowSwitch
      label={`${queue.name} enabled`}
      checked={!queue.is_paused}
      disabled={busy}
      onChange={(on) =>
        void attempt(async () => {
          await updateQueue(pool, queue.name, { is_paused: !on })
          return on ? `${queue.name} resumed` : `${queue.name} paused`
        })
      }
    />
  )
}
