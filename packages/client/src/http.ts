import type { CsrfToken } from '@millrace/contracts/admin.ts'
import { ConnectionError, InvalidResponseError, MillraceError, NotFoundError, TimeoutError, toApiError } from './errors.ts'
import { parseJson } from './json.ts'
import { randomName } from './random.ts'
import {
  type AttemptError,
  defaultRetryPolicy,
  isTemporary,
  mayHaveExecuted,
  networkErrorCode,
  type RetryPolicy,
  retryAfterSeconds,
  retryDelaySeconds,
  sleep,
  timerMilliseconds,
} from './retry.ts'
import type { WebSocketConstructor } from './web-socket.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

export interface Credentials {
  /** `user:password`, the value of the server's MILLRACE_SERVER_API_AUTH_STRING. */
  readonly authString?: string | undefined
  /** API key, sent as a bearer token. Ignored if there is an auth string. */
  readonly key?: string | undefined
}

export interface ClientOptions extends Credentials {
  /** URL of the API, such as `http://127.0.0.1:4200/api`. On a page it can be relative. */
  readonly url: string
  /** Credentials that can change, read before every request. They replace `authString` and `key`. */
  readonly credentials?: () => Credentials
  /** Headers of every request. */
  readonly headers?: Readonly<Record<string, string>>
  /** Time limit of one attempt, until the whole response is read. Default: 60. */
  readonly timeoutSeconds?: number
  readonly retry?: Partial<RetryPolicy>
  /** Replaces the global `fetch`. */
  readonly fetch?: FetchFunction
  /** Replaces the global `WebSocket`, which Node has since version 22. The class of the package `ws` fits. */
  readonly WebSocket?: WebSocketConstructor
  /**
   * Keeps every number of a response as it is written (`1.0`, `1e3`), as an object of `JSON.rawJSON`. For copies of user data. Has no effect on Node 20,
   * which lacks `JSON.rawJSON`.
   */
  readonly exactNumbers?: boolean
}

export type FetchFunction = (url: string, init: FetchInit) => Promise<FetchResponse>

/** What the client passes to `fetch`. */
export interface FetchInit {
  readonly method: Method
  /** By lower-case name. */
  readonly headers: Record<string, string>
  readonly body?: string
  readonly signal: AbortSignal
}

/** What the client uses of a `Response`. */
export interface FetchResponse extends Pick<Response, 'ok' | 'status' | 'body' | 'text'> {
  readonly headers: Pick<Headers, 'get'>
  clone(): Pick<Response, 'text'>
}

/** Options of a single call. */
export interface CallOptions {
  /** Aborts the call, also between two attempts. It then rejects with the reason of the signal. */
  readonly signal?: AbortSignal | undefined
  /** Time limit of one attempt. */
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

interface PreparedRequest {
  readonly method: Method
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
}

interface Answer {
  /** Undefined for an item that an earlier attempt deleted. */
  readonly response: FetchResponse | undefined
  /** Empty for a stream. */
  readonly text: string
}

const defaultTimeoutSeconds = 60

/** Sends the requests of all operations: URL, credentials, CSRF token, time limit, retries and errors. */
export class HttpClient {
  /** URL of the API, without a slash at its end. */
  readonly url: string
  readonly options: ClientOptions
  readonly #fetch: FetchFunction
  /** CSRF tokens are issued per client. */
  readonly #csrfClient = randomName('client')
  #csrfToken: string | undefined
  #tokenRequest: Promise<void> | undefined

  constructor(options: ClientOptions) {
    this.url = parseUrl(options.url)
    this.options = options
    // Browsers reject a call of `fetch` with another receiver.
    this.#fetch = options.fetch ?? ((url, init) => fetch(url, init))
  }

  /** Calls an operation and parses its JSON. An empty response is null. */
  async call<T>(method: Method, path: string, input: RequestInput = {}): Promise<T> {
    const { response, text } = await this.#request(method, path, input, true)
    if (text === '') return null as T
    try {
      return parseJson(text, this.options.exactNumbers) as T
    } catch {
      throw new InvalidResponseError({
        status: response?.status ?? 200,
        code: '',
        requestId: requestIdOf(response),
        message: `The response of ${method} ${this.url}${path} is not JSON. Check the URL of the API, which usually ends with /api.`,
      })
    }
  }

  /** As `call`, for a response that is not JSON. */
  async callForText(method: Method, path: string, input: RequestInput = {}): Promise<string> {
    return (await this.#request(method, path, input, true)).text
  }

  /** As `callForText`, without waiting for the end of the response. The time limit ends when the response starts. */
  async stream(method: Method, path: string, input: RequestInput = {}): Promise<ReadableStream<Uint8Array>> {
    const { response } = await this.#request(method, path, input, false)
    return response?.body ?? new ReadableStream({ start: (controller) => controller.close() })
  }

  /** Credentials for the next request. */
  credentials(): Credentials {
    return this.options.credentials?.() ?? this.options
  }

  /** Errors of the caller, such as a missing path value or a body that is not JSON, are thrown before the first attempt. */
  async #request(method: Method, path: string, input: RequestInput, readsBody: boolean): Promise<Answer> {
    const { options = {}, body } = input
    const request: PreparedRequest = {
      method,
      url: `${this.url}${fillPath(path, input.path ?? {})}${queryText(input.query ?? {})}`,
      headers: mergeHeaders(
        { accept: 'application/json', ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
        this.options.headers,
        options.headers,
      ),
      body: body === undefined ? undefined : JSON.stringify(body),
    }
    const policy = { ...defaultRetryPolicy, ...this.options.retry, ...(options.retries === undefined ? {} : { retries: options.retries }) }
    const isIdempotent = input.isIdempotent ?? method !== 'POST'
    let isOutcomeUnknown = false
    for (let attempt = 0; ; attempt += 1) {
      const answer = await this.#attempt(request, readsBody, options)
      if ('response' in answer) return answer
      const { error } = answer
      // An earlier attempt deleted the item, and its response was lost.
      if (isOutcomeUnknown && method === 'DELETE' && error instanceof NotFoundError) return { response: undefined, text: '' }
      const executed = mayHaveExecuted(error)
      isOutcomeUnknown ||= executed
      const mayRetry = attempt < policy.retries && isTemporary(error) && (isIdempotent || !executed)
      const delay = mayRetry ? retryDelaySeconds(policy, attempt, 'retryAfterSeconds' in error ? error.retryAfterSeconds : 0) : undefined
      if (delay === undefined) throw error
      await sleep(delay, options.signal)
    }
  }

  /** One attempt. Throws only if the caller aborts it, or for an error of the client. */
  async #attempt(request: PreparedRequest, readsBody: boolean, { signal, ...options }: CallOptions): Promise<Answer | { error: AttemptError }> {
    signal?.throwIfAborted()
    const timeoutSeconds = options.timeoutSeconds ?? this.options.timeoutSeconds ?? defaultTimeoutSeconds
    const ending = new AbortController()
    const onAbort = () => ending.abort(signal?.reason)
    signal?.addEventListener('abort', onAbort, { once: true })
    let isTimedOut = false
    const timer = setTimeout(() => {
      isTimedOut = true
      ending.abort()
    }, timerMilliseconds(timeoutSeconds))
    try {
      const response = await this.#send(request, ending.signal)
      const text = readsBody || !response.ok ? await response.text() : ''
      return response.ok ? { response, text } : { error: responseError(request, response, text) }
    } catch (error) {
      signal?.throwIfAborted()
      if (isTimedOut) return { error: new TimeoutError(`No response from ${this.url} within ${timeoutSeconds} seconds`) }
      if (error instanceof MillraceError) throw error
      return { error: connectionError(this.url, error) }
    } finally {
      clearTimeout(timer)
      // The caller can still abort a stream while it reads.
      if (readsBody) signal?.removeEventListener('abort', onAbort)
    }
  }

  /** Sends a request, and once more with a new CSRF token if the server asks for one. */
  async #send(request: PreparedRequest, signal: AbortSignal): Promise<FetchResponse> {
    const used = this.#csrfToken
    const response = await this.#sendOnce(request, signal)
    if (response.status !== 403 || request.method === 'GET' || !/csrf token/i.test(await response.clone().text())) return response
    // Concurrent callers share one token request, because each new token invalidates the last.
    if (this.#csrfToken === used) this.#tokenRequest ??= this.#fetchCsrfToken()
    await abortable(this.#tokenRequest, signal)
    return this.#sendOnce(request, signal)
  }

  async #fetchCsrfToken(): Promise<void> {
    try {
      this.#csrfToken = (await this.call<CsrfToken>('GET', '/csrf-token', { query: { client: this.#csrfClient } })).token
    } finally {
      this.#tokenRequest = undefined
    }
  }

  #sendOnce({ method, url, headers, body }: PreparedRequest, signal: AbortSignal): Promise<FetchResponse> {
    const sent = { ...headers }
    const authorization = authorizationHeader(this.credentials())
    if (authorization) sent.authorization ??= authorization
    if (this.#csrfToken !== undefined) {
      sent['service-csrf-token'] = this.#csrfToken
      sent['service-csrf-client'] = this.#csrfClient
    }
    return this.#fetch(url, { method, headers: sent, signal, ...(body === undefined ? {} : { body }) })
  }
}

/** Checks the URL, so that a wrong one does not look like a server that cannot be reached. */
function parseUrl(text: string): string {
  const page = (globalThis as { readonly location?: { readonly href: string } }).location?.href
  const url = URL.canParse(text, page) ? new URL(text, page) : undefined
  if (!url || !/^https?:$/.test(url.protocol)) throw new TypeError(`"${text}" is not a URL such as http://127.0.0.1:4200/api`)
  if (url.username || url.password) throw new TypeError('The URL of the API must not contain credentials. Use the option `authString`.')
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '')
}

/** Later headers replace earlier ones, whatever their case. Without the class `Headers`, which takes Node 10 ms to load. */
function mergeHeaders(...lists: (Readonly<Record<string, string>> | undefined)[]): Record<string, string> {
  const given = lists.flatMap((headers) => Object.entries(headers ?? {}))
  return Object.fromEntries(given.map(([name, value]) => [name.toLowerCase(), value]))
}

const requestIdOf = (response: FetchResponse | undefined): string | undefined => response?.headers.get('x-request-id') ?? undefined

const responseError = ({ method, url }: PreparedRequest, response: FetchResponse, text: string): AttemptError =>
  toApiError({
    status: response.status,
    text,
    requestId: requestIdOf(response),
    retryAfterSeconds: retryAfterSeconds(response.headers),
    request: `${method} ${url}`,
  })

function connectionError(url: string, error: unknown): ConnectionError {
  const code = networkErrorCode(error) ?? ''
  // Node wraps the reason: "fetch failed" alone does not help.
  const wrapped = error instanceof Error && error.cause instanceof Error ? error.cause : error
  const reason = code || (wrapped instanceof Error ? wrapped.message : String(wrapped))
  return new ConnectionError(`Cannot reach ${url} (${reason})`, { code, cause: error })
}

/** Rejects when the signal aborts, although the work continues for others. */
function abortable<T>(work: Promise<T> | undefined, signal: AbortSignal): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason)
    const onAbort = () => reject(signal.reason)
    signal.addEventListener('abort', onAbort, { once: true })
    Promise.resolve(work)
      .then(resolve, reject)
      .finally(() => signal.removeEventListener('abort', onAbort))
  })
}

/** Fills the `{name}` parts of a path. The values are encoded, so that a name with a slash cannot reach another route. */
function fillPath(path: string, values: Readonly<Record<string, string>>): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = values[name]
    if (value === undefined || value === '') throw new TypeError(`Missing value for "${name}" in ${path}`)
    // URLs have no encoding for these: `%2e%2e` also means the folder above.
    if (value === '.' || value === '..') throw new TypeError(`"${value}" cannot be a part of a URL: use the id, or search by name`)
    return encodeURIComponent(value)
  })
}

function queryText(query: Readonly<Record<string, QueryValue>>): string {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined || value === null ? [] : [[name, String(value)] as [string, string]],
  )
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`
}

function authorizationHeader({ authString, key }: Credentials): string | undefined {
  if (authString) return `Basic ${base64(authString)}`
  if (!key) return undefined
  // The error of `Headers` would show the key.
  if (!/^[\x21-\x7e]+$/.test(key)) throw new MillraceError('The API key contains blanks, line ends or characters outside of ASCII')
  return `Bearer ${key}`
}

/** `btoa` takes Latin-1 only; Basic authentication encodes UTF-8. */
const base64 = (text: string): string => btoa(String.fromCharCode(...new TextEncoder().encode(text)))
