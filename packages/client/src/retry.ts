import { ApiError, ConnectionError, TimeoutError } from './errors.ts'
import { random } from './random.ts'

/** When and how often a failed request is sent again. */
export interface RetryPolicy {
  /** Retries after the first attempt. Default: 4. */
  readonly retries: number
  /** Delay before the first retry. Doubles with every retry. Default: 0.2. */
  readonly delaySeconds: number
  /** Default: 10. */
  readonly delaySecondsMax: number
  /** A longer `Retry-After` fails the request at once: the caller decides whether to wait that long. Default: 60. */
  readonly retryAfterSecondsMax: number
}

export const defaultRetryPolicy: RetryPolicy = { retries: 4, delaySeconds: 0.2, delaySecondsMax: 10, retryAfterSecondsMax: 60 }

/** An error of one attempt. */
export type AttemptError = ApiError | ConnectionError | TimeoutError

const temporaryStatuses = new Set([408, 429, 502, 503, 504])

/** Whether another attempt can succeed. */
export const isTemporary = (error: unknown): boolean =>
  error instanceof ApiError ? temporaryStatuses.has(error.status) : error instanceof ConnectionError || error instanceof TimeoutError

/** Codes of errors that occur before a request is sent, in Node and Bun. Browsers give no reason. */
const unsentCodes = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'UND_ERR_CONNECT_TIMEOUT', 'ConnectionRefused'])

/**
 * Whether the server may have executed the request although it failed. It rejects with 408, 429 and 503 before it does anything; a proxy's 502 and
 * 504, and `UNAVAILABLE` during a commit, leave it open.
 */
export function mayHaveExecuted(error: AttemptError): boolean {
  if (error instanceof ApiError) return error.status === 502 || error.status === 504 || error.code === 'UNAVAILABLE'
  return !(error instanceof ConnectionError && unsentCodes.has(error.code))
}

/** `ECONNREFUSED`, from the error or its cause. A host with several addresses has one error for each. */
export function networkErrorCode(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  if ('code' in error && typeof error.code === 'string') return error.code
  if (error instanceof AggregateError) return networkErrorCode(error.errors[0])
  return networkErrorCode(error.cause)
}

/** Seconds to wait before a retry, or undefined if the server asks for more than the policy allows. */
export function retryDelaySeconds(policy: RetryPolicy, attempt: number, askedSeconds = 0, fraction = random()): number | undefined {
  if (askedSeconds > policy.retryAfterSecondsMax) return undefined
  return askedSeconds + backoffSeconds(attempt, policy.delaySeconds, policy.delaySecondsMax, fraction)
}

/** Exponential back-off. Jitter spreads clients that failed at the same moment: the delay is between half and all of its limit. */
export function backoffSeconds(attempt: number, first: number, max: number, fraction = random()): number {
  return Math.min(first * 2 ** attempt, max) * (0.5 + fraction / 2)
}

/** Reads `Retry-After`: seconds or an HTTP date, which is compared with the clock of the server (`Date`) where it can be read. */
export function retryAfterSeconds(headers: Pick<Headers, 'get'>): number | undefined {
  const text = headers.get('retry-after')?.trim()
  if (!text) return undefined
  const seconds = Number(text)
  if (Number.isFinite(seconds)) return Math.max(0, seconds)
  const at = Date.parse(text)
  const now = Date.parse(headers.get('date') ?? '')
  return Number.isNaN(at) ? undefined : Math.max(0, (at - (Number.isNaN(now) ? Date.now() : now)) / 1000)
}

/** The longest delay of a timer. A longer one would end at once. */
const timerMillisecondsMax = 2 ** 31 - 1

export const timerMilliseconds = (seconds: number): number => Math.min(seconds * 1000, timerMillisecondsMax)

/** Resolves after some seconds. Rejects with the reason of the signal if it is aborted first. */
export function sleep(seconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
    const onAbort = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', onAbort)
      resolve()
    }, timerMilliseconds(seconds))
    signal?.addEventListener('abort', onAbort, { once: true })
  })
}
