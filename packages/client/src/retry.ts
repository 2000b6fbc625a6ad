/** When and how often a failed request is sent again. */
export interface RetryPolicy {
  /** Retries after the first attempt. */
  readonly retries: number
  /** Delay before the first retry. Doubles with every retry. */
  readonly delaySeconds: number
  readonly delaySecondsMax: number
}

export const defaultRetryPolicy: RetryPolicy = { retries: 4, delaySeconds: 0.2, delaySecondsMax: 10 }

/** A longer `Retry-After` fails the request instead: the caller decides whether to wait that long. */
const retryAfterSecondsMax = 60

const busyStatuses = new Set([408, 429, 502, 503, 504])

/** The server rejects these before it does anything. A proxy's 502 and 504, and `UNAVAILABLE` during a commit, leave the outcome unknown. */
const untouchedStatuses = new Set([408, 429, 503])

/** Whether a request may be sent again after this response. */
export const mayRetryResponse = (status: number, code: string, isIdempotent: boolean): boolean =>
  busyStatuses.has(status) && (isIdempotent || (untouchedStatuses.has(status) && code !== 'UNAVAILABLE'))

/** Codes of errors that occur before a request is sent, in Node and Bun. Browsers tell no reason. */
const unsentCodes = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'UND_ERR_CONNECT_TIMEOUT', 'ConnectionRefused'])

/** Whether a request may be sent again after `fetch` failed. */
export const mayRetryConnection = (error: unknown, isIdempotent: boolean): boolean => isIdempotent || unsentCodes.has(networkErrorCode(error) ?? '')

/** `ECONNREFUSED`, from the error or its cause. A host with several addresses has one error for each. */
export function networkErrorCode(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  if ('code' in error && typeof error.code === 'string') return error.code
  if (error instanceof AggregateError) return networkErrorCode(error.errors[0])
  return networkErrorCode(error.cause)
}

/** Seconds to wait before a retry, or undefined if the server asks for more than is reasonable. */
export function retryDelaySeconds(
  policy: RetryPolicy,
  attempt: number,
  retryAfter: string | null,
  random: () => number,
  nowMs: number,
): number | undefined {
  const asked = parseRetryAfter(retryAfter, nowMs)
  if (asked !== undefined) return asked > retryAfterSecondsMax ? undefined : asked
  const delay = Math.min(policy.delaySeconds * 2 ** attempt, policy.delaySecondsMax)
  // Jitter spreads clients that failed at the same moment.
  return delay * (0.5 + random() / 2)
}

/** Seconds or an HTTP date. */
function parseRetryAfter(text: string | null, nowMs: number): number | undefined {
  if (text === null || text.trim() === '') return undefined
  const seconds = Number(text)
  if (Number.isFinite(seconds)) return Math.max(0, seconds)
  const at = Date.parse(text)
  return Number.isNaN(at) ? undefined : Math.max(0, (at - nowMs) / 1000)
}

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
    }, seconds * 1000)
    signal?.addEventListener('abort', onAbort, { once: true })
  })
}
