import { leaseGone } from '../../errors.ts'
import type { ServerContext } from '../../storage/server-context.ts'
import type { SlotRequest } from './slot-traffic.ts'

/** Ends a lease and gives back what it held. One that is not there is no error: to end it twice must do no harm. */
export const endLease = (leaseId: string): SlotRequest<void> => ({ leases: [leaseId], carryOut: (book) => book.end(leaseId) })

export const renewLease = ({ config }: ServerContext, leaseId: string, seconds: number): SlotRequest<void> => ({
  leases: [leaseId],
  carryOut(book) {
    if (!book.renew(leaseId, seconds, config.services.lease_repossession.every_seconds)) return leaseGone(leaseId)
  },
})
