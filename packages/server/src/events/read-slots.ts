import { perServer } from '../storage/server-context.ts'

/** How many subscribers may read the log for themselves at the same time; the others wait for their turn. */
const concurrentReadersMax = 4

/** Calls back once one of the slots is free. */
type LimitedRead = <R>(work: () => Promise<R>) => Promise<R>

/** Limits how many subscribers read from the log at once, so that a hundred that connect together leave the database to others. */
export const readLimiter = perServer((): LimitedRead => {
  const waiting: (() => void)[] = []
  let reading = 0
  return async (work) => {
    // A slot is handed on to the next in line: a newcomer finds none free.
    if (reading >= concurrentReadersMax) await new Promise<void>((resolve) => waiting.push(resolve))
    else reading += 1
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else reading -= 1
    }
  }
})
