import { statement, type Tx } from './database.ts'

/** Free pages to keep for new rows, so that the file does not shrink and grow again within the hour. */
const spareShare = 0.02
const sparePages = 256

const pageStats = statement((dialect) => dialect.incrementalVacuum?.facts ?? '')
const vacuumStep = statement((dialect) => dialect.incrementalVacuum?.step ?? '')

interface PageStats {
  readonly free: number
  readonly pages: number
  readonly size: number
}

/** Returns one step of unused pages to the file system. Returns the number of freed bytes, 0 when too few pages are free. */
export async function vacuumIncrementally(tx: Tx): Promise<number> {
  if (!tx.dialect.incrementalVacuum) return 0
  const before = await tx.first<PageStats>(pageStats)
  if (!before || before.free <= Math.max(sparePages, before.pages * spareShare)) return 0
  await tx.all(vacuumStep)
  // A file created before `auto_vacuum = incremental` was set frees nothing.
  return (before.free - ((await tx.first<PageStats>(pageStats))?.free ?? before.free)) * before.size
}
