import type { WorkPoolResponse } from '@millrace/contracts/work-pool.ts'
import { useQuery } from '@tanstack/react-query'
import { workersQuery } from '../../api/workers.ts'
import { Icon, type IconName } from '../../ui/icon.tsx'
import { type PoolHealth, poolHealth } from './pool-health.ts'

const looks: Record<PoolHealth['tone'], { colour: string; icon: IconName }> = {
  good: { colour: 'text-good', icon: 'check' },
  warning: { colour: 'text-warning', icon: 'pause' },
  danger: { colour: 'text-danger', icon: 'warning' },
}

export function PoolHealthBadge({ pool }: { readonly pool: WorkPoolResponse }) {
  const { data } = useQuery(workersQuery(pool.name))
  const { tone, label: word } = poolHealth(pool, data)
  const { colour, icon } = looks[tone]
  return (
    <span className={`inline-flex items-center gap-1.5 whitespace-nowrap font-medium ${colour}`}>
      <Icon name={icon} size={14} />
      {word}
    </span>
  )
}
