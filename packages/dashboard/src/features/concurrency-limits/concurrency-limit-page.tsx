import type { GlobalConcurrencyLimitResponse } from '@millrace/contracts/global-concurrency-limit.ts'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { concurrencyLimitQuery } from '../../api/concurrency-limits.ts'
import { deploymentQuery } from '../../api/deployments.ts'
import { Facts } from '../../ui/facts.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Page } from '../../ui/page.tsx'
import { TimeText } from '../../ui/time-text.tsx'
import { QueryView } from '../query-view.tsx'
import { SlotUsage } from '../work-pools/slot-usage.tsx'
import { LimitHolders } from './limit-holders.tsx'
import { LimitMenu } from './limit-menu.tsx'
import { deploymentIdOf, limitKindOf, tagOfLimit } from './limits-search.ts'

/** The page of one limit, with holders and waiters. */
export function ConcurrencyLimitPage({ id }: { readonly id: string }) {
  const limit = useQuery(concurrencyLimitQuery(id))
  const navigate = useNavigate()
  const deploymentId = limit.data && deploymentIdOf(limit.data.name)
  const deployment = useQuery({ ...deploymentQuery(deploymentId ?? ''), enabled: deploymentId !== undefined })
  const kind = limit.data ? limitKindOf(limit.data) : 'named'
  const title = limit.data ? (kind === 'tag' ? tagOfLimit(limit.data.name) : (deployment.data?.name ?? limit.data.name)) : 'Limit'
  return (
    <Page
      title={title}
      crumbs={[{ label: 'Concurrency', to: '/concurrency-limits' }]}
      titleAside={
        limit.data && (
          <>
            <SlotUsage used={limit.data.active_slots} limit={limit.data.limit} />
            {!limit.data.active && (
              <span className="inline-flex items-center gap-1.5 font-medium text-warning">
                <Icon name="pause" size={14} />
                Disabled
              </span>
            )}
          </>
        )
      }
      actions={limit.data && <LimitMenu limit={limit.data} onDeleted={() => navigate({ to: '/concurrency-limits' })} />}
    >
      <QueryView query={limit}>
        {(found) => (
          <div className="flex flex-col gap-4">
            <LimitFacts limit={found} />
            <LimitHolders limit={found} />
          </div>
        )}
      </QueryView>
    </Page>
  )
}

function LimitFacts({ limit }: { readonly limit: GlobalConcurrencyLimitResponse }) {
  const deploymentId = deploymentIdOf(limit.name)
  return (
    <Facts
      facts={[
        {
          name: 'Applies to',
          value: deploymentId ? (
            <Link to="/deployments/deployment/$id" params={{ id: deploymentId }} className="link">
              runs of this deployment
            </Link>
          ) : limitKindOf(limit) === 'tag' ? (
            <Link to="/runs" search={{ tag: [tagOfLimit(limit.name)] }} className="link">
              tasks with the tag {tagOfLimit(limit.name)}
            </Link>
          ) : (
            'callers that request a slot by this name'
          ),
        },
        {
          name: 'Slots are released',
          value: limit.slot_decay_per_second > 0 ? `automatically, ${limit.slot_decay_per_second} per second` : 'by the holder',
        },
        { name: 'Updated', value: <TimeText time={limit.updated} show="relative" /> },
      ]}
    />
  )
}
