import type { Batch } from '../../storage/database.ts'
import { type ActingContext, perServer } from '../../storage/server-context.ts'
import { type LedgerScope, RequestLedger } from './request-ledger.ts'

/** An operation on slots, with the limits and leases that it needs. A returned error rejects this request alone. */
export interface SlotRequest<R = unknown> extends LedgerScope {
  execute(ledger: RequestLedger): R | Error
}

/** Executes concurrent requests in one transaction: limits are locked once and in order, and the number of statements is constant. */
const slotBatch = perServer(
  (context): Batch<SlotRequest, unknown> =>
    async (tx, requests) => {
      const union = (list: (request: SlotRequest) => readonly string[] | undefined) => [
        ...new Set(requests.flatMap((request) => list(request) ?? [])),
      ]
      const scope: LedgerScope = {
        names: union(({ names }) => names),
        leases: union(({ leases }) => leases),
        holders: union(({ holders }) => holders),
        anonymousSlots: requests.reduce((sum, { anonymousSlots }) => sum + (anonymousSlots ?? 0), 0),
      }
      const ledger = await RequestLedger.load(tx, context, scope)
      const results = requests.map((request) => request.execute(ledger))
      await ledger.flush(tx)
      return results as (unknown | Error)[]
    },
)

export const submitSlotRequest = <R>(context: ActingContext, request: SlotRequest<R>): Promise<R> =>
  context.commands.submitTo(slotBatch(context), request) as Promise<R>
