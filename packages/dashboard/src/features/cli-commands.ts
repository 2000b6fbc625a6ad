const shellQuote = (text: string): string => (/^[\w.-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`)

/** Command that starts a worker for a pool, or for one of its queues. */
export const workerCommand = (pool: string, queue?: string): string =>
  `prefect worker start --pool ${shellQuote(pool)}${queue === undefined ? '' : ` --work-queue ${shellQuote(queue)}`}`
