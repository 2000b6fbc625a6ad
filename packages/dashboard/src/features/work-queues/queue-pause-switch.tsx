import type { WorkQueueResponse } from '@millrace/contracts/work-queue.ts'
import { updateQueue } from '../../api/work-queues.ts'
import { OnSwitch } from '../../ui/on-switch.tsx'
import { useDeed } from '../use-deed.ts'

interface QueuePauseSwitchProps {
  readonly pool: string
  readonly queue: Pick<WorkQueueResponse, 'name' | 'is_paused'>
}

export function QueuePauseSwitch({ pool, queue }: QueuePauseSwitchProps) {
  const { busy, attempt } = useDeed('work-queues')
  return (
    <OnSwitch
      label={`${queue.name} hands out runs`}
      checked={!queue.is_paused}
      disabled={busy}
      onChange={(on) =>
        void attempt(async () => {
          await updateQueue(pool, queue.name, { is_paused: !on })
          return on ? `${queue.name} hands out runs again` : `${queue.name} is paused`
        })
      }
    />
  )
}
