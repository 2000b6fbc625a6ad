import { perServer, type ServerContext } from '../../storage/server-context.ts'
import type { Batch } from '../../storage/write-queue.ts'
import { type LedgerScope, SlotLedger } from './slot-ledger.ts'

/** Something that takes, gives back or keeps slots: what it has to look at, and what it then does. An error it returns is its answer. */
export interface SlotRequest<R = unknown> extends LedgerScope {
  execute(ledger: SlotLedger): R | Error
}

/** All requests of a moment together: their limits are locked once and in order, and however many they are, the statements stay as many. */
const slotBatch = perServer(
  (context): Batch<SlotRequest, unknown> =>
    async (tx, requests) => {
      const together = (list: (request: SlotRequest) => readonly string[] | undefined) => [
        ...new Set(requests.flatMap((request) => list(request) ?? [])),
      ]
      const needs = {
        names: together(({ names }) => names),
        leases: together(({ leases }) => leases),
        holders: together(({ holders }) => holders),
        loose: requests.reduce((sum, { anonymousSlots: loose }) => sum + (loose ?? 0), 0),
      }
      const ledger = await SlotLedger.load(tx, needs, { now: context.clock.now(), newId: context.newId, ...context.config.concurrency })
      const answers = requests.map((request) => request.execute(ledger))
      await ledger.flush()
      return answers as (unknown | Error)[]
    },
)

export const submitSlotRequest = <R>(context: ServerContext, request: SlotRequest<R>): Promise<R> =>
  context.writeQueue.submitTo(slotBatch(context), request) as Promise<R>
