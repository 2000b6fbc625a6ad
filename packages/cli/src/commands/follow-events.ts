import type { MillraceClient } from '@millrace/client/client.ts'
import { ConnectionError, TimeoutError, UnavailableError } from '@millrace/client/errors.ts'
import type { CallOptions } from '@millrace/client/http.ts'
import { sleep } from '@millrace/client/retry.ts'
import type { ReceivedEvent } from '@millrace/contracts/event.ts'
import type { EventFilter } from '@millrace/contracts/event-filter.ts'
import { readEvents } from './read-events.ts'

interface FollowOptions {
  readonly signal: AbortSignal
  /** Starts with the events since this time. Default: only events from now on. */
  readonly since?: string
  readonly pollSeconds?: number
}

/** Events that reach the server this late are still found. */
const latenessMs = 5000

/** The filter's default ends at the server's time, which hides events of a client whose clock is ahead. */
const endOfTime = '9999-12-31T00:00:00Z'

/** Iterates over the events that match, each once, until the signal aborts. Asks again every second, also after the connection broke. */
export async function* followEvents(
  client: MillraceClient,
  filter: EventFilter,
  { signal, since, pollSeconds = 1 }: FollowOptions,
): AsyncGenerator<ReceivedEvent, void, undefined> {
  const log = new EventLog(client, filter, since)
  try {
    if (since === undefined) await log.skipToEnd({ signal })
    for (let isConnected = false; ; isConnected = true) {
      try {
        yield* log.readNew({ signal })
      } catch (error) {
        if (!isConnected || !isTemporary(error)) throw error
      }
      await sleep(pollSeconds, signal)
    }
  } catch (error) {
    if (!signal.aborted) throw error
  }
}

const isTemporary = (error: unknown): boolean =>
  error instanceof ConnectionError || error instanceof TimeoutError || error instanceof UnavailableError

/** Reads the events after a position. It remembers the ids of the last seconds, because events can arrive out of order. */
class EventLog {
  readonly #client: MillraceClient
  readonly #filter: EventFilter
  readonly #seen = new Map<string, number>()
  /** No event before this time is returned. */
  readonly #start: number
  #position: number

  constructor(client: MillraceClient, filter: EventFilter, since: string | undefined) {
    this.#client = client
    this.#filter = filter
    this.#start = since === undefined ? 0 : Date.parse(since)
    this.#position = this.#start
  }

  /** Skips what the log has now. Takes the time from the last event, because the server's clock may differ from this one. */
  async skipToEnd(options: CallOptions): Promise<void> {
    const { events } = await this.#client.events.listPage({ filter: { occurred: { until: endOfTime }, order: 'DESC' }, limit: 1 }, options)
    const last = events[0]
    if (!last) return
    this.#position = positionOf(last)
    for await (const _skipped of this.readNew(options));
  }

  async *readNew(options: CallOptions): AsyncGenerator<ReceivedEvent, void, undefined> {
    const since = Math.max(this.#start, this.#position - latenessMs)
    const filter: EventFilter = { ...this.#filter, occurred: { since: new Date(since).toISOString(), until: endOfTime }, order: 'ASC' }
    for await (const event of readEvents(this.#client, filter, options)) {
      if (this.#seen.has(event.id)) continue
      this.#seen.set(event.id, positionOf(event))
      this.#position = Math.max(this.#position, positionOf(event))
      yield event
    }
    for (const [id, position] of this.#seen) if (position < this.#position - 2 * latenessMs) this.#seen.delete(id)
  }
}

/** An event of a client whose clock is ahead must not hide the events of others. */
const positionOf = ({ occurred, received }: ReceivedEvent): number => Math.min(Date.parse(occurred), Date.parse(received))
