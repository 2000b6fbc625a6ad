import type { CsrfToken } from '@millrace/contracts/admin.ts'
import { type ApiError, ConnectionError, TimeoutError, toApiError } from './errors.ts'
import { parseJson } from './json.ts'
import { defaultRetryPolicy, mayRetryConnection, mayRetryResponse, networkErrorCode, type RetryPolicy, retryDelaySeconds, sleep } from './retry.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** Credentials of one request. */
export interface Credentials {
  /** `user:password`, the value of the server's MILLRACE_SERVER_API_AUTH_STRING. */
  readonly authString?: string | undefined
  /** API key, sent as a bearer token. */
  readonly key?: string | undefined
}

export interface ClientOptions extends Credentials {
  /** URL of the API, such as `http://127.0.0.1:4200/api`. */
  readonly url: string
  /** Credentials that can change, read before every request. They override `authString` and `key`. */
  readonly credentials?: () => Credentials
  /** Headers of every request. */
  readonly headers?: Readonly<Record<string, string>>
  /** Time limit of one attempt, until the whole response is read. Default: 60. */
  readonly timeoutSeconds?: number
  readonly retry?: Partial<RetryPolicy>
  /** Replaces the global `fetch`. */
  readonly fetch?: typeof fetch
  /** Replaces the global `WebSocket`, which Node has since version 22. */
  readonly WebSocket?: typeof WebSocket
  /** Keeps every number of a response as it is written (`1.0`, `1e3`), as an object of `JSON.rawJSON`. For copies of user data. */
  readonly exactNumbers?: boolean
}

/** Options of a single call. */
export interface CallOptions {
  readonly signal?: AbortSignal | undefined
  readonly timeoutSeconds?: number
  readonly headers?: Readonly<Record<string, string>>
  /** Retries after the first attempt. */
  readonly retries?: number
}

type QueryValue = string | number | boolean | null | undefined

export interface RequestInput {
  /** Values of the `{name}` parts of the path. */
  readonly path?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, QueryValue>>
  readonly body?: unknown
  /** Whether the request can be sent again if its outcome is unknown. Default: true for every method but POST. */
  readonly isIdempotent?: boolean
  readonly options?: CallOptions | undefined
}

const defaultTimeoutSeconds = 60

/** Sends the requests of all operations: URL, credentials, CSRF token, time limit, retries and errors. */
export class HttpClient {
  readonly url: string
  readonly options: ClientOptions
  readonly #fetch: typeof fetch
  /** CSRF tokens are issued per client id. The id is not secret. */
  readonly #csrfClient = `client-${crypto.randomUUID()}`
  #csrfToken: string | undefined
  #tokenRequest: Promise<void> | undefined

  constructor(options: ClientOptions) {
    this.url = options.url.replace(/\/+$/, '')
    this.options = options
    // Browsers reject a call of `fetch` with another receiver.
    this.#fetch = options.fetch ?? ((input, init) => fetch(input, init))
  }

  /** Calls an operation and parses its JSON. An empty response is null. */
  async call<T>(method: Method, path: string, input: RequestInput = {}): Promise<T> {
    const text = await this.callForText(method, path, input)
    return (text === '' ? null : parseJson(text, this.options.exactNumbers)) as T
  }

  /** As `call`, for a response that is not JSON. */
  callForText(method: Method, path: string, input: RequestInput = {}): Promise<string> {
    return this.#withRetries(method, input, async (signal) => {
      const response = await this.#send(method, path, input, signal)
      return { response, text: await response.text() }
    })
  }

  /** As `callForText`, without waiting for the end of the response. The time limit ends when the response starts. */
  async stream(method: Method, path: string, input: RequestInput = {}): Promise<ReadableStream<Uint8Array>> {
    let body: ReadableStream<Uint8Array> | null = null
    await this.#withRetries(method, input, async (signal) => {
      const response = await this.#send(method, path, input, signal)
      body = response.ok ? response.body : null
      return { response, text: response.ok ? '' : await response.text() }
    })
    return body ?? new ReadableStream({ start: (controller) => controller.close() })
  }

  credentials(): Credentials {
    return this.options.credentials?.() ?? this.options
  }

  async #withRetries(method: Method, { options = {}, ...input }: RequestInput, attempt: (signal: AbortSignal) => Promise<Answer>): Promise<string> {
    const policy = { ...defaultRetryPolicy, ...this.options.retry, ...(options.retries === undefined ? {} : { retries: options.retries }) }
    const isIdempotent = input.isIdempotent ?? method !== 'POST'
    for (let attempts = 0; ; attempts += 1) {
      const outcome = await this.#attempt(options, attempt)
      if ('text' in outcome) return outcome.text
      const { error, isUnknown, retryAfter } = outcome
      // The first attempt deleted the item, and its response was lost.
      if (method === 'DELETE' && attempts > 0 && 'status' in error && error.status === 404) return ''
      const mayRetry =
        'status' in error ? mayRetryResponse(error.status, error.code, isIdempotent) : isUnknown && mayRetryConnection(error, isIdempotent)
      const delay = attempts < policy.retries && mayRetry ? retryDelaySeconds(policy, attempts, retryAfter, Math.random, Date.now()) : undefined
      if (delay === undefined) throw error
      await sleep(delay, options.signal)
    }
  }

  /** One attempt. Throws only when the caller aborts. */
  async #attempt(
    { signal, timeoutSeconds = this.options.timeoutSeconds ?? defaultTimeoutSeconds }: CallOptions,
    attempt: (signal: AbortSignal) => Promise<Answer>,
  ): Promise<Outcome> {
    signal?.throwIfAborted()
    const timeout = new AbortController()
    const timer = setTimeout(() => timeout.abort(), timeoutSeconds * 1000)
    try {
      const { response, text } = await attempt(signal ? AbortSignal.any([signal, timeout.signal]) : timeout.signal)
      if (response.ok) return { text }
      const error = toApiError(response.status, text, response.headers.get('x-request-id') ?? undefined)
      return { error, isUnknown: false, retryAfter: response.headers.get('retry-after') }
    } catch (error) {
      signal?.throwIfAborted()
      if (timeout.signal.aborted) {
        return { error: new TimeoutError(`No response from ${this.url} within ${timeoutSeconds} seconds`), isUnknown: true, retryAfter: null }
      }
      return { error: connectionError(this.url, error), isUnknown: true, retryAfter: null }
    } finally {
      clearTimeout(timer)
    }
  }

  /** Sends a request, and once more with a new CSRF token if the server asks for one. */
  async #send(method: Method, path: string, input: RequestInput, signal: AbortSignal): Promise<Response> {
    const used = this.#csrfToken
    const response = await this.#sendOnce(method, path, input, signal)
    if (response.status !== 403 || method === 'GET' || !/csrf token/i.test(await response.clone().text())) return response
    // Concurrent callers share one token request, because each new token invalidates the last.
    if (this.#csrfToken === used) this.#tokenRequest ??= this.#fetchCsrfToken()
    await this.#tokenRequest
    return this.#sendOnce(method, path, input, signal)
  }

  async #fetchCsrfToken(): Promise<void> {
    try {
      this.#csrfToken = (await this.call<CsrfToken>('GET', '/csrf-token', { query: { client: this.#csrfClient } })).token
    } finally {
      this.#tokenRequest = undefined
    }
  }

  #sendOnce(
    method: Method,
    path: string,
    { path: parameters = {}, query = {}, body, options }: RequestInput,
    signal: AbortSignal,
  ): Promise<Response> {
    return this.#fetch(`${this.url}${fillPath(path, parameters)}${queryText(query)}`, {
      method,
      headers: {
        accept: 'application/json',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...authorization(this.credentials()),
        ...(this.#csrfToken === undefined ? {} : { 'service-csrf-token': this.#csrfToken, 'service-csrf-client': this.#csrfClient }),
        ...this.options.headers,
        ...options?.headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal,
    })
  }
}

interface Answer {
  readonly response: Response
  readonly text: string
}

type Outcome =
  | { readonly text: string }
  | { readonly error: ApiError | ConnectionError | TimeoutError; isUnknown: boolean; retryAfter: string | null }

function connectionError(url: string, error: unknown): ConnectionError {
  const code = networkErrorCode(error)
  const reason = code ?? (error instanceof Error ? error.message : String(error))
  return new ConnectionError(`Cannot reach ${url} (${reason})`, { cause: error })
}

/** Fills the `{name}` parts of a path. The values are encoded, so that a name with a slash cannot reach another route. */
function fillPath(path: string, values: Readonly<Record<string, string>>): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = values[name]
    if (value === undefined || value === '') throw new TypeError(`Missing value for "${name}" in ${path}`)
    return encodeURIComponent(value)
  })
}

function queryText(query: Readonly<Record<string, QueryValue>>): string {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined || value === null ? [] : [[name, String(value)] as [string, string]],
  )
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`
}

function authorization({ authString, key }: Credentials): Record<string, string> {
  if (authString) return { authorization: `Basic ${base64(authString)}` }
  return key ? { authorization: `Bearer ${key}` } : {}
}

/** `btoa` takes Latin-1 only; Basic authentication encodes UTF-8. */
const base64 = (text: string): string => btoa(String.fromCharCode(...new TextEncoder().encode(text)))
