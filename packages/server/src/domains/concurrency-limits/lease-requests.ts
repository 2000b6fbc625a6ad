import { leaseGone } from '../../errors.ts'
import type { ServerContext } from '../../storage/server-context.ts'
import type { SlotRequest } from './slot-batch.ts'

/** Ends a lease and gives back what it held. One that is not there is no error: to end it twice must do no harm. */
export const endLease = (leaseId: string): SlotRequest<void> => ({ leases: [leaseId], execute: (ledger) => ledger.releaseLease(leaseId) })

export const renewLease = ({ config }: ServerContext, leaseId: string, seconds: number): SlotRequest<void> => ({
  leases: [leaseId],
  execute(ledger) {
    if (!ledger.renew(leaseId, seconds, config.services.lease_expiration.every_seconds)) return leaseGone(leaseId)
  },
})
