import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { flowRunHistoryQuery } from '../../api/flow-runs.ts'
import { useNow } from '../../ui/clock.ts'
import { StateShape } from '../../ui/state-badge.tsx'
import { lookWord, type StateLook } from '../../ui/state-look.ts'
import { countsOf } from '../home/bucket-counts.ts'

const days = 30
const looks: readonly StateLook[] = ['late', 'pending', 'running']
const words: Partial<Record<StateLook, string>> = { late: 'Late', pending: 'Pending', running: 'Running' }

/** How many of a pool's runs are late, about to start, and running, of the last month: one question for all three. */
export function PoolLoad({ pool }: { readonly pool: string }) {
  const hour = Math.floor(useNow(60) / 3_600_000) * 3_600_000
  const length = days * 86_400
  const history = useQuery(
    flowRunHistoryQuery({
      history_start: new Date(hour + 3_600_000 - length * 1000).toISOString(),
      history_end: new Date(hour + 3_600_000).toISOString(),
      history_interval_seconds: length,
      work_pools: { name: { any_: [pool] } },
      // By type alone, which an index begins with: late ones are told from other scheduled ones by their name, in the answer.
      flow_runs: { state: { type: { any_: ['PENDING', 'RUNNING', 'SCHEDULED'] } } },
    }),
  )
  const counts = countsOf(history.data ?? [])
  return (
    <span className="flex items-center gap-3 text-sm">
      {looks.map((look) => {
        const count = counts.get(look) ?? 0
        return (
          <Link
            key={look}
            to="/runs"
            search={{ pool: [pool], state: [words[look] ?? ''] }}
            title={lookWord(look)}
            aria-label={`${count} ${lookWord(look).toLowerCase()}`}
            className={`quiet-link inline-flex items-center gap-1 ${count === 0 ? 'text-faint' : ''}`}
          >
            <StateShape look={look} size={12} />
            {count.toLocaleString()}
          </Link>
        )
      })}
    </span>
  )
}
