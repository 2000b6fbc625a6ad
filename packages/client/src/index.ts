// biome-ignore-all lint/performance/noBarrelFile: published entry point

/** Entry point of `millrace/client`: the client, its errors, and the types of requests and responses. */
export type * from '@millrace/contracts/action.ts'
export type * from '@millrace/contracts/admin.ts'
export type * from '@millrace/contracts/artifact.ts'
export type * from '@millrace/contracts/automation.ts'
export type * from '@millrace/contracts/block-document.ts'
export type * from '@millrace/contracts/block-filter.ts'
export type * from '@millrace/contracts/block-schema.ts'
export type * from '@millrace/contracts/block-type.ts'
export type * from '@millrace/contracts/concurrency-limit.ts'
export type * from '@millrace/contracts/concurrency-status.ts'
export type * from '@millrace/contracts/created-by.ts'
export type * from '@millrace/contracts/deployment.ts'
export type * from '@millrace/contracts/deployment-filter.ts'
export type * from '@millrace/contracts/error.ts'
export type * from '@millrace/contracts/event.ts'
export type * from '@millrace/contracts/event-filter.ts'
export type * from '@millrace/contracts/flow.ts'
export type * from '@millrace/contracts/flow-filter.ts'
export type * from '@millrace/contracts/flow-run.ts'
export type * from '@millrace/contracts/flow-run-filter.ts'
export type * from '@millrace/contracts/flow-run-input.ts'
export type * from '@millrace/contracts/global-concurrency-limit.ts'
export type * from '@millrace/contracts/graph.ts'
export type * from '@millrace/contracts/history.ts'
export type * from '@millrace/contracts/latest-runs.ts'
export type * from '@millrace/contracts/limit-holders.ts'
export type * from '@millrace/contracts/log.ts'
export type * from '@millrace/contracts/observed-state.ts'
export type { Labels } from '@millrace/contracts/primitives.ts'
export type * from '@millrace/contracts/retention.ts'
export type * from '@millrace/contracts/run-report.ts'
export type * from '@millrace/contracts/saved-search.ts'
export type * from '@millrace/contracts/schedule.ts'
export type * from '@millrace/contracts/schema-validation.ts'
export type * from '@millrace/contracts/state.ts'
export type * from '@millrace/contracts/task-run.ts'
export type * from '@millrace/contracts/task-run-filter.ts'
export type * from '@millrace/contracts/task-worker.ts'
export type * from '@millrace/contracts/trigger.ts'
export type * from '@millrace/contracts/ui.ts'
export type * from '@millrace/contracts/variable.ts'
export type * from '@millrace/contracts/work-pool.ts'
export type * from '@millrace/contracts/work-pool-filter.ts'
export type * from '@millrace/contracts/work-queue.ts'
export type * from '@millrace/contracts/work-queue-filter.ts'
export type * from '@millrace/contracts/worker.ts'
export type * from '@millrace/contracts/worker-channel.ts'
export { MillraceClient } from './client.ts'
export {
  ApiError,
  ConflictError,
  ConnectionError,
  ForbiddenError,
  InvalidRequestError,
  InvalidResponseError,
  MillraceError,
  NotFoundError,
  SlotsFullError,
  TimeoutError,
  UnauthorizedError,
  UnavailableError,
} from './errors.ts'
export type { CallOptions, ClientOptions, Credentials, FetchFunction, HttpClient, Method, RequestInput } from './http.ts'
export type { PageOptions } from './pages.ts'
export type { RetryPolicy } from './retry.ts'
export type { ReportStream, ReportStreamOptions } from './subscriptions/report-stream.ts'
export type { Subscription, SubscriptionOptions } from './subscriptions/subscription.ts'
export type { WebSocketConstructor, WebSocketLike } from './web-socket.ts'
