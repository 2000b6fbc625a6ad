import type { Log, LogFilter, LogsCreateBody, LogsFilterBody } from '@millrace/contracts/log.ts'
import type { CallOptions } from '../http.ts'
import { iterateByOffset, iterateByTime, type PageOptions } from '../pages.ts'
import { Subscription, type SubscriptionOptions, type SubscriptionSource } from '../subscriptions/subscription.ts'
import { OperationGroup } from './operation-group.ts'

/** Logs of which one was stored last, although the clock of a sender may be ahead. */
const newestLogs = 50

/** Log lines of flow runs and task runs. */
export class Logs extends OperationGroup {
  /** Stores logs, all or none. They may name runs that do not exist yet. */
  create(body: LogsCreateBody, options?: CallOptions): Promise<void> {
    return this.http.call('POST', '/logs/', { body, options })
  }

  /** Lists logs, oldest first by default. */
  list(body: LogsFilterBody = {}, options?: CallOptions): Promise<Log[]> {
    return this.http.call('POST', '/logs/filter', { body, isIdempotent: true, options })
  }

  /** Iterates over all matching logs, oldest first by default. Each page continues at the time of the last log, so that millions can be read. */
  listAll(
    { logs, sort = 'TIMESTAMP_ASC' }: Omit<LogsFilterBody, 'offset' | 'limit'> = {},
    options?: PageOptions,
  ): AsyncGenerator<Log, void, undefined> {
    // The time of a page cannot be added to criteria of which only one must match.
    if (logs?.operator === 'or_') return iterateByOffset((page, call) => this.list({ logs, sort, ...page }, call), options)
    const bound = sort === 'TIMESTAMP_ASC' ? 'after_' : 'before_'
    return iterateByTime(
      ({ time, ...page }, call) =>
        this.list({ logs: { ...logs, timestamp: { ...logs?.timestamp, ...(time && { [bound]: time }) } }, sort, ...page }, call),
      ({ timestamp }) => timestamp,
      options,
    )
  }

  /**
   * Iterates over matching logs as they are stored: those since `filter.timestamp.after_`, oldest first, or only new ones without it. Reconnects when the
   * connection is lost and returns every log once, except for those that are stored more than two minutes after their time while there is no connection.
   * Throws an `UnauthorizedError` for wrong credentials.
   */
  subscribe(filter: Omit<LogFilter, 'operator'> = {}, options?: SubscriptionOptions): Subscription<Log> {
    return new Subscription(this.http, this.#source(filter), options)
  }

  #source(filter: Omit<LogFilter, 'operator'>): SubscriptionSource<Log> {
    const { after_: after, before_: before } = filter.timestamp ?? {}
    const within = (from: string | null | undefined): LogFilter => ({
      ...filter,
      operator: 'and_',
      timestamp: from || before ? { after_: from ?? null, before_: before ?? null } : null,
    })
    return {
      path: '/logs/out',
      start: after ?? undefined,
      filterFrame: () => ({ type: 'filter', filter: within(after) }),
      itemOf: (frame) => (frame.type === 'log' ? (frame.log as Log) : undefined),
      describe: ({ id, timestamp, created }) => ({ id, time: timestamp, storedAt: created ?? timestamp }),
      readSince: (from, options) => this.listAll({ logs: within(from) }, options),
      readNewest: async (options) => {
        const newest = await this.list({ logs: within(undefined), sort: 'TIMESTAMP_DESC', limit: newestLogs }, options)
        return newest.reduce<Log | undefined>((latest, log) => ((latest?.created ?? '') < (log.created ?? '') ? log : latest), undefined)
      },
    }
  }
}
