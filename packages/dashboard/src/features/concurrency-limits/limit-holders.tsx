import type { GlobalConcurrencyLimitResponse } from '@millrace/contracts/global-concurrency-limit.ts'
import type { LimitHolders as Holders, LimitHolder, LimitWaiter } from '@millrace/contracts/limit-holders.ts'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { limitHoldersQuery, releaseLease } from '../../api/concurrency-limits.ts'
import { ownEntry } from '../../own-entry.ts'
import { Button } from '../../ui/button.tsx'
import { useNow } from '../../ui/clock.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Panel } from '../../ui/page.tsx'
import { SkeletonRows } from '../../ui/skeleton.tsx'
import { toMillis } from '../../ui/time-format.ts'
import { Elapsed, TimeText } from '../../ui/time-text.tsx'
import { QueryView } from '../query-view.tsx'
import { useAction } from '../use-action.ts'

/** Slot holders with start and expiry, and waiters. */
export function LimitHolders({ limit }: { readonly limit: GlobalConcurrencyLimitResponse }) {
  const holders = useQuery(limitHoldersQuery(limit.id))
  return (
    <div className="grid grid-cols-1 items-start gap-4 lg:grid-cols-2">
      <Panel title="Slot holders" aside={<Count count={holders.data?.holder_count} />}>
        <QueryView query={holders} skeleton={<SkeletonRows rows={3} />} compact>
          {(found) => <HolderList found={found} limit={limit} />}
        </QueryView>
      </Panel>
      <Panel title="Waiting" aside={<Count count={holders.data?.waiter_count} />}>
        <QueryView query={holders} skeleton={<SkeletonRows rows={3} />} compact>
          {(found) => <WaiterList found={found} />}
        </QueryView>
      </Panel>
    </div>
  )
}

const Count = ({ count }: { readonly count: number | undefined }) => <span className="text-faint">{count?.toLocaleString()}</span>

function HolderList({ found, limit }: { readonly found: Holders; readonly limit: GlobalConcurrencyLimitResponse }) {
  const [releasing, setReleasing] = useState<LimitHolder>()
  const { attempt } = useAction('concurrency-limits')
  if (found.holders.length === 0) {
    return (
      <EmptyState compact title={limit.active_slots > 0 ? 'Holders unknown' : 'No slots in use'}>
        {limit.slot_decay_per_second > 0 ? 'Slots of this limit are released automatically and have no holder.' : undefined}
      </EmptyState>
    )
  }
  return (
    <>
      <ul aria-label="Holders">
        {found.holders.map((holder) => (
          <li
            key={`${holder.lease_id} ${holder.since}`}
            className="flex min-h-11 flex-wrap items-center gap-x-3 gap-y-0.5 border-b border-line px-3.5 py-1.5 last:border-b-0"
          >
            <span className="min-w-0 flex-1 basis-40">
              <HolderLink type={holder.holder_type} id={holder.holder_id} name={holder.name} flowRunId={holder.flow_run_id} />
              {holder.slots > 1 && <span className="ml-2 text-faint text-sm">{holder.slots} slots</span>}
            </span>
            <span className="text-soft text-sm">
              for <Elapsed since={holder.since} />
            </span>
            <span className="text-faint text-sm">
              {holder.expires ? (
                <>
                  expires <TimeText time={holder.expires} show="relative" />
                </>
              ) : (
                'until the run ends'
              )}
            </span>
            {holder.expires && (
              <Button variant="quiet" className="h-7" onClick={() => setReleasing(holder)}>
                Release
              </Button>
            )}
          </li>
        ))}
      </ul>
      {found.holder_count > found.holders.length && <MoreCount count={found.holder_count - found.holders.length} />}
      <ConfirmDialog
        open={releasing !== undefined}
        title={`Release the slot of ${releasing?.name ?? 'its holder'}?`}
        description="The holder keeps running without the slot, and the next waiter starts."
        confirmLabel="Release slot"
        icon="cross"
        onConfirm={() =>
          attempt(async () => {
            if (releasing) await releaseLease(releasing.lease_id)
            return 'Slot released'
          })
        }
        onClose={() => setReleasing(undefined)}
      />
    </>
  )
}

function WaiterList({ found }: { readonly found: Holders }) {
  if (found.waiters.length === 0) return <EmptyState compact title="No waiters" />
  return (
    <>
      <ul aria-label="Waiters">
        {found.waiters.map((waiter: LimitWaiter) => (
          <li
            key={waiter.waiter_id}
            className="flex min-h-11 flex-wrap items-center gap-x-3 gap-y-0.5 border-b border-line px-3.5 py-1.5 last:border-b-0"
          >
            <span className="min-w-0 flex-1 basis-40">
              <HolderLink type={waiter.waiter_type} id={waiter.waiter_id} name={waiter.name} flowRunId={waiter.flow_run_id} />
              {waiter.slots > 1 && <span className="ml-2 text-faint text-sm">for {waiter.slots} slots</span>}
            </span>
            <span className="text-soft text-sm">
              for <Elapsed since={waiter.since} />
            </span>
            {waiter.next_try && <NextTry time={waiter.next_try} />}
          </li>
        ))}
      </ul>
      {found.waiter_count > found.waiters.length && <MoreCount count={found.waiter_count - found.waiters.length} />}
    </>
  )
}

function NextTry({ time }: { readonly time: string }) {
  const present = useNow(1)
  return (
    <span className="text-faint text-sm">
      {toMillis(time) <= present ? (
        'retry due'
      ) : (
        <>
          retries <TimeText time={time} show="relative" />
        </>
      )}
    </span>
  )
}

const MoreCount = ({ count }: { readonly count: number }) => <p className="px-3.5 py-2 text-faint">and {count.toLocaleString()} more</p>

const holderKinds: Readonly<Record<string, string>> = { flow_run: 'run', task_run: 'task run', deployment: 'deployment' }

interface HolderLinkProps {
  readonly type: string | null
  readonly id: string | null
  readonly name: string | null
  readonly flowRunId: string | null
}

/** Links to a run, or shows type and ID of another holder. */
function HolderLink({ type, id, name, flowRunId }: HolderLinkProps) {
  if (id === null) return <span className="text-soft">Unknown holder</span>
  const kind = <span className="text-faint text-sm">{ownEntry(holderKinds, type ?? '') ?? type}</span>
  const label = name ?? <code className="font-mono text-sm">{id.slice(0, 8)}</code>
  if (type === 'task_run' && name !== null) {
    return (
      <>
        <Link to="/runs/task-run/$id" params={{ id }} className="quiet-link font-medium">
          {label}
        </Link>{' '}
        {kind}
      </>
    )
  }
  return flowRunId === null ? (
    <>
      <span className="font-medium">{label}</span> {kind}
    </>
  ) : (
    <>
      <Link to="/runs/flow-run/$id" params={{ id: flowRunId }} className="quiet-link font-medium">
        {label}
      </Link>{' '}
      {kind}
    </>
  )
}
