import { statement, type Tx } from './database.ts'

/** So much of the file stays free for what comes next: to give back what is needed again in an hour would be work for nothing. */
const spareShare = 0.02
const sparePages = 256

const facts = statement((dialect) => dialect.freeDisk?.facts ?? '')
const step = statement((dialect) => dialect.freeDisk?.step ?? '')

interface Facts {
  readonly free: number
  readonly pages: number
  readonly size: number
}

/** Gives a little disk back that the database holds and does not use; how many bytes, 0 when there is not enough of it to be worth it. */
export async function freeSomeDisk(tx: Tx): Promise<number> {
  if (!tx.dialect.freeDisk) return 0
  const before = await tx.first<Facts>(facts)
  if (!before || before.free <= Math.max(sparePages, before.pages * spareShare)) return 0
  await tx.all(step)
  // A file that was made before this was thought of gives nothing back.
  return (before.free - ((await tx.first<Facts>(facts))?.free ?? before.free)) * before.size
}
