/**
 * Gathers what is asked for within one turn into one call, so that a table may ask for the name of each row's flow on its own. Each asker gets
 * its own, or undefined when there is none of that id.
 */
export function createBatchLoader<T extends { readonly id: string }>(
  fetchMany: (ids: string[]) => Promise<readonly T[]>,
  limit = 200,
): (id: string) => Promise<T | undefined> {
  let waiting: Map<string, PromiseWithResolvers<T | undefined>> | undefined
  const flush = (batch: Map<string, PromiseWithResolvers<T | undefined>>) => {
    fetchMany([...batch.keys()]).then(
      (found) => {
        const byId = new Map(found.map((each) => [each.id, each]))
        for (const [id, asked] of batch) asked.resolve(byId.get(id))
      },
      (error: unknown) => {
        for (const asked of batch.values()) asked.reject(error)
      },
    )
  }
  return (id) => {
    if (!waiting) {
      const batch = new Map<string, PromiseWithResolvers<T | undefined>>()
      waiting = batch
      setTimeout(() => {
        if (waiting === batch) waiting = undefined
        flush(batch)
      })
    }
    const asked = waiting.get(id) ?? Promise.withResolvers<T | undefined>()
    waiting.set(id, asked)
    if (waiting.size >= limit) waiting = undefined
    return asked.promise
  }
}
