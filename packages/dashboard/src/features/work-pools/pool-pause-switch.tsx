import type { WorkPoolResponse } from '@millrace/contracts/work-pool.ts'
import { setWorkPoolPaused } from '../../api/work-pools.ts'
import { OnSwitch } from '../../ui/on-switch.tsx'
import { useDeed } from '../use-deed.ts'

/** A paused pool hands out nothing. */
export function PoolPauseSwitch({ pool }: { readonly pool: Pick<WorkPoolResponse, 'name' | 'is_paused'> }) {
  const { busy, attempt } = useDeed('work-pools', 'work-queues')
  return (
    <OnSwitch
      label={`${pool.name} hands out runs`}
      checked={!pool.is_paused}
      disabled={busy}
      onChange={(on) =>
        void attempt(async () => {
          await setWorkPoolPaused(pool.name, !on)
          return on ? `${pool.name} hands out runs again` : `${pool.name} is paused`
        })
      }
    />
  )
}
