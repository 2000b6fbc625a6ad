/** Lets the event loop serve others before long work goes on. On SQLite a query waits for nothing, so nobody else gets a turn otherwise. */
export const yieldToEventLoop = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
