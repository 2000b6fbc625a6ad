/**
 * Collects the ids requested within one turn into one call, so that each table row can load the name of its flow on its own. Resolves to undefined
 * for an id that does not exist.
 */
export function createBatchLoader<T extends { readonly id: string }>(
  fetchMany: (ids: string[]) => Promise<readonly T[]>,
  limit = 200,
): (id: string) => Promise<T | undefined> {
  let pending: Map<string, PromiseWithResolvers<T | undefined>> | undefined
  const flush = (batch: Map<string, PromiseWithResolvers<T | undefined>>) => {
    fetchMany([...batch.keys()]).then(
      (found) => {
        const byId = new Map(found.map((each) => [each.id, each]))
        for (const [id, request] of batch) request.resolve(byId.get(id))
      },
      (error: unknown) => {
        for (const request of batch.values()) request.reject(error)
      },
    )
  }
  return (id) => {
    if (!pending) {
      const batch = new Map<string, PromiseWithResolvers<T | undefined>>()
      pending = batch
      setTimeout(() => {
        if (pending === batch) pending = undefined
        flush(batch)
      })
    }
    const request = pending.get(id) ?? Promise.withResolvers<T | undefined>()
    pending.set(id, request)
    if (pending.size >= limit) pending = undefined
    return request.promise
  }
}
