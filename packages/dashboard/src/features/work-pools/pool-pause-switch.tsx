import type { WorkPoolResponse } from '@millrace/contracts/work-pool.ts'
import { setWorkPoolPaused } from '../../api/work-pools.ts'
import { RowSwitch } from '../../ui/row-switch.tsx'
import { useAction } from '../use-action.ts'

/** Pauses and resumes a pool. A paused pool starts no runs. */
export function PoolPauseSwitch({ pool }: { readonly pool: Pick<WorkPoolResponse, 'name' | 'is_paused'> }) {
  const { busy, attempt } = useAction('work-pools', 'work-queues')
  return (
    <RowSwitch
      label={`${pool.name} enabled`}
      checked={!pool.is_paused}
      disabled={busy}
      onChange={(on) =>
        void attempt(async () => {
          await setWorkPoolPaused(pool.name, !on)
          return on ? `${pool.name} resumed` : `${pool.name} paused`
        })
      }
    />
  )
}
