import type { MillraceClient } from '@millrace/client/client.ts'
import { sleep } from '@millrace/client/retry.ts'
import type { Log, LogFilter } from '@millrace/contracts/log.ts'

export interface ReadOptions {
  readonly signal: AbortSignal
  /** Only logs from this time on. */
  readonly since?: string | undefined
}

export interface FollowOptions extends ReadOptions {
  /** Logs that are already shown. */
  readonly shown?: readonly Log[]
  /** Asked when all present logs are returned. Following ends when it returns true. */
  readonly isEnded?: () => Promise<boolean> | boolean
}

const pageSize = 200

/**
 * Logs are sorted by the clock of the run that wrote them and arrive in batches, so that a log can arrive after a later one of another process.
 * Each poll therefore reads again the last seconds before the newest log. Clients send a batch every two seconds.
 */
const overlapSeconds = 5

/** Polls become less frequent while no logs arrive. */
const pollSecondsMin = 0.1
const pollSecondsMax = 1

/** Returns all present logs in pages, oldest first. */
export const readLogs = (client: MillraceClient, filter: LogFilter, { signal, since }: ReadOptions): AsyncGenerator<Log[]> =>
  new LogCursor(client, filter, since).readNew(signal)

/** Returns present and future logs in batches, each log once. */
export async function* followLogs(client: MillraceClient, filter: LogFilter, options: FollowOptions): AsyncGenerator<Log[]> {
  const { signal, isEnded = () => false } = options
  const cursor = new LogCursor(client, filter, options.since, options.shown)
  for (let delay = pollSecondsMin; ; ) {
    // Asked before the read: logs that are written before the end are then part of it.
    const ended = await isEnded()
    let isIdle = true
    for await (const logs of cursor.readNew(signal)) {
      isIdle = false
      yield logs
    }
    if (ended) return
    delay = isIdle ? Math.min(delay * 1.5, pollSecondsMax) : pollSecondsMin
    await sleep(delay, signal)
  }
}

/** The last `count` logs, oldest first. */
export async function readLastLogs(client: MillraceClient, filter: LogFilter, count: number, { signal, since }: ReadOptions): Promise<Log[]> {
  const logs: Log[] = []
  const body = { logs: { ...filter, ...(since && { timestamp: { after_: since } }) }, sort: 'TIMESTAMP_DESC' as const }
  for await (const log of client.logs.listAll(body, { max: count, signal })) logs.push(log)
  return logs.reverse()
}

/** A position in the logs that match a filter. */
class LogCursor {
  readonly #client: MillraceClient
  readonly #filter: LogFilter
  readonly #since: string | undefined
  /** Times of the returned logs that a later read can return again, by id. */
  readonly #returned = new Map<string, number>()
  #newest = Number.NEGATIVE_INFINITY

  constructor(client: MillraceClient, filter: LogFilter, since: string | undefined, shown: readonly Log[] = []) {
    this.#client = client
    this.#filter = filter
    this.#since = since
    for (const log of shown) this.#add(log)
  }

  /** Returns the logs that it has not returned yet. */
  async *readNew(signal: AbortSignal): AsyncGenerator<Log[]> {
    let after = this.#start()
    for (let offset = 0; ; ) {
      const timestamp = after === undefined ? {} : { timestamp: { after_: after } }
      const body = { logs: { ...this.#filter, ...timestamp }, sort: 'TIMESTAMP_ASC' as const, limit: pageSize, offset }
      const page = await this.#client.logs.list(body, { signal })
      const fresh = page.filter(({ id }) => !this.#returned.has(id))
      for (const log of fresh) this.#add(log)
      if (fresh.length > 0) yield fresh
      const last = page.at(-1)
      if (!last || page.length < pageSize) break
      // The next page starts at the last time of this one. It needs an offset only if the whole page has the same time.
      offset = last.timestamp === after ? offset + pageSize : 0
      after = last.timestamp
    }
    const start = this.#startMs()
    for (const [id, time] of this.#returned) if (time < start) this.#returned.delete(id)
  }

  #add({ id, timestamp }: Log): void {
    const time = Date.parse(timestamp)
    this.#returned.set(id, time)
    this.#newest = Math.max(this.#newest, time)
  }

  /** A clock that is ahead must not hide the logs of others, so the start is never later than now. */
  #startMs(): number {
    return Math.min(this.#newest, Date.now()) - overlapSeconds * 1000
  }

  #start(): string | undefined {
    const start = this.#startMs()
    if (start === Number.NEGATIVE_INFINITY || (this.#since !== undefined && start < Date.parse(this.#since))) return this.#since
    return new Date(start).toISOString()
  }
}
