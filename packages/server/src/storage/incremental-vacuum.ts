import { statement, type Tx } from './database.ts'

/** So much of the file stays free for what comes next: to give back what is needed again in an hour would be work for nothing. */
const spareShare = 0.02
const sparePages = 256

const pageStats = statement((dialect) => dialect.incrementalVacuum?.facts ?? '')
const vacuumStep = statement((dialect) => dialect.incrementalVacuum?.step ?? '')

interface PageStats {
  readonly free: number
  readonly pages: number
  readonly size: number
}

/** Gives a little disk back that the database holds and does not use; how many bytes, 0 when there is not enough of it to be worth it. */
export async function vacuumIncrementally(tx: Tx): Promise<number> {
  if (!tx.dialect.incrementalVacuum) return 0
  const before = await tx.first<PageStats>(pageStats)
  if (!before || before.free <= Math.max(sparePages, before.pages * spareShare)) return 0
  await tx.all(vacuumStep)
  // A file that was made before this was thought of gives nothing back.
  return (before.free - ((await tx.first<PageStats>(pageStats))?.free ?? before.free)) * before.size
}
