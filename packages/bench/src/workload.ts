import type { Fixtures } from './fixtures.ts'
import type { ConnectionOptions, HttpConnection } from './http-connection.ts'
import type { LoopResult } from './loop-result.ts'

/** What the workloads of one measurement share. */
export interface BenchContext {
  /** URLs of the API: one per server process. Users are spread over them. */
  readonly urls: readonly string[]
  readonly connection: ConnectionOptions
  /** Credentials of WebSockets: `user:password` or an API key. */
  readonly token?: string | undefined
  /** For fixtures and checks that are not measured. */
  readonly setup: HttpConnection
  readonly fixtures: Fixtures
  /** Eight hexadecimal digits that distinguish the data of this measurement. */
  readonly stamp: string
  /** Number of seeded flow runs. */
  readonly seeded: number
  /** Sizes of the fixtures that take longest to create. Tests use smaller ones; results are comparable at equal sizes only. */
  readonly sizes: FixtureSizes
  /** A new UUID, unique in this measurement. */
  newId(): string
}

export interface FixtureSizes {
  /** Layers of 50 task runs of the graph. */
  readonly graphLayers: number
  /** Requests that cancel 50 runs each. */
  readonly bulkRequests: number
  readonly scheduledDeployments: number
  /** The scheduler is done when it has planned nothing for this long. */
  readonly schedulerIdleMs: number
}

export const defaultSizes: FixtureSizes = { graphLayers: 20, bulkRequests: 20, scheduledDeployments: 100, schedulerIdleMs: 3000 }

/** One of the concurrent users of a workload. */
export interface User {
  readonly http: HttpConnection
  readonly number: number
  /** Counts the operations of this user. */
  readonly turn: number
}

/** One kind of request, or a sequence of them. */
export interface Workload {
  readonly name: string
  /** What is counted, in plural: an operation may do several. */
  readonly unit: string
  /** Only reads, so that its cost can be compared between database sizes. */
  readonly isRead?: boolean
  /** Ends the measurement after this many operations. */
  readonly operationsMax?: number
  readonly usersMax?: number
  readonly usersMin?: number
  prepare?(): Promise<void>
  /** Resolves to the units done, 1 if it returns nothing. Throws for a wrong answer. */
  operation(user: User): Promise<number> | Promise<void>
  /** Adds what can only be measured after the last operation. */
  finish?(result: LoopResult): Promise<Partial<LoopResult>>
}

/** A measurement that is not a loop of requests, such as the delivery of events to subscribers. */
export interface Trial {
  readonly name: string
  readonly unit: string
  measure(options: { readonly seconds: number; readonly users: number }): Promise<TrialResult>
}

export type TrialResult = Omit<LoopResult, 'name' | 'unit' | 'clientCores'>

/** Throws unless an answer is right. */
export function check(isRight: unknown, message: string): asserts isRight {
  if (!isRight) throw new Error(`wrong answer: ${message}`)
}

const fullCheckEvery = 10
const largeAnswerBytes = 32_768

/**
 * Sends a request with a large answer. Parsing each of them would make the client the limit: one in ten is checked in full, and the others by a text
 * that a right answer contains.
 */
export async function checkSampled<T>(
  user: User,
  method: string,
  path: string,
  body: unknown,
  mark: string,
  verify: (answer: T) => void,
): Promise<void> {
  const raw = await user.http.raw(method, path, body)
  if (raw.length < largeAnswerBytes || user.turn % fullCheckEvery === 0) verify(JSON.parse(raw.toString()) as T)
  else check(raw.includes(mark), `${path}: the answer does not contain ${mark}`)
}

export const isoTime = (ms: number): string => new Date(ms).toISOString()
export const dayMs = 24 * 3600_000

const stateNames: Readonly<Record<string, string>> = {
  PENDING: 'Pending',
  RUNNING: 'Running',
  COMPLETED: 'Completed',
  CANCELLED: 'Cancelled',
  SCHEDULED: 'Scheduled',
}

export const stateOf = (type: string) => ({ type, name: stateNames[type] ?? null, state_details: {} })
