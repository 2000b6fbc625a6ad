/** On SQLite a query waits for nothing, and nobody else comes to the turn unless we let them. */
export const othersFirst = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
