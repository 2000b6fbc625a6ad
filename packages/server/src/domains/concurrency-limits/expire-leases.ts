import { addSeconds, type Micros } from '../../lib/time.ts'
import type { Tx } from '../../storage/database.ts'
import type { ServerContext } from '../../storage/server-context.ts'
import { deleteExpiredLeases, readExpiredLeases } from './lease-store.ts'
import { SlotLedger } from './slot-ledger.ts'

/** A lease that nobody may renew any more: when the last of them ran out. */
export const renewalCutoff = ({ clock, config }: ServerContext): Micros => addSeconds(clock.now(), -config.services.lease_expiration.every_seconds)

/** Removes leases that nobody may renew any more, so many at most; how many there were. */
export const expireLeases =
  (context: ServerContext, leasesMax: number) =>
  async (tx: Tx): Promise<number> => {
    const { clock, newId, config } = context
    const before = renewalCutoff(context)
    const found = await readExpiredLeases(tx, before, leasesMax)
    if (found.length === 0) return 0
    const ids = [...new Set(found.flatMap(({ limit_id }) => limit_id ?? []))]
    const ledger = await SlotLedger.load(tx, { ids }, { now: clock.now(), newId, ...config.concurrency })
    // Another replica may have been here while we waited for the limits: only what is deleted here is given back here.
    const gone = await deleteExpiredLeases(
      tx,
      found.map(({ id }) => id),
      before,
    )
    for (const row of gone) ledger.returnSlots(row)
    await ledger.flush()
    return gone.length
  }
