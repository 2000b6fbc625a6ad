// biome-ignore-all lint/performance/noBarrelFile: the published entry point until index.ts exists
export { MillraceClient } from './client.ts'
export {
  ApiError,
  ConflictError,
  ConnectionError,
  ForbiddenError,
  InvalidRequestError,
  MillraceError,
  NotFoundError,
  TimeoutError,
  UnauthorizedError,
  UnavailableError,
} from './errors.ts'
export type { CallOptions, ClientOptions, Credentials } from './http.ts'
export type { PageOptions } from './pages.ts'
export type { RetryPolicy } from './retry.ts'
